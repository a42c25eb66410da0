"""Whether a command that a template starts reads the prompt as code.

Owns: the rules for shells, interpreters, and programs that run other programs (`env`, `timeout`, `sudo`,
`xargs`, `find -exec`, `docker exec …`). Refuses the prompt in code, in a script's place, in the name of a
command and on the standard input of what reads commands from there.
"""

from __future__ import annotations

import itertools
import re

from xuen.agent.shell import readers
from xuen.agent.shell.arguments import is_all_arguments, runners
from xuen.agent.shell.builtin_rules import BuiltinRules, Words, source_of
from xuen.agent.shell.scripts import literals, starts_code
from xuen.agent.shell.tree import Literal, Parameter, Part, Substitution, Word
from xuen.texts import template as texts

_DESCRIPTOR = re.compile(r"(?:.*/)?stdin|/+dev/fd/.*|/+proc/.*/fd/.*")


def _may_be_nothing(part: Part) -> bool:
    if isinstance(part, Parameter):
        filled = part.operator in (":-", ":=") and any(isinstance(p, Literal) and p.text for p in part.argument)
        return not part.quoted and not filled
    return isinstance(part, Substitution) and not part.quoted


class ProgramRules(BuiltinRules):
    """The part of the rules that looks at programs."""

    def _run(self, words: Words, feed: bool, exported: bool = False) -> None:
        first = words[0]
        name = first.literal
        if is_all_arguments(first) and not self._taint.first:
            self._require_known(first, words[1:], feed)
            return
        if self._taint.holds(first.parts) or self._taint.named(first):
            self._fail(texts.COMMAND_NAME, texts.OWN_ARGUMENT, first.at)
        if "/" in first.head and self._scripts.doubtful(first):
            self._fail(texts.SCRIPT.of(name=first.literal or first.head), texts.SCRIPT_MEND, first.at)
        if name != "[" and re.search(r"[*?\[]", first.bare) and (feed or self._taint.holds(words[1:])):
            self._fail(texts.UNKNOWN_NAME, texts.UNKNOWN_NAME_MEND, first.at)
        if name == "read" and feed:
            self._fail(texts.READ, texts.OWN_ARGUMENT, first.at)
        if name is None and first.last_name:
            self._program(readers.program(first.last_name), words, feed, exported)
        elif name is None:
            self._require_known(first, words[1:], feed)
            self._may_vanish(words)
            self._unknown_name(words, feed)
        elif name in self._taint.functions:
            if words[1:] and name in runners(self._tree):
                self._run(words[1:], feed)
            self._nested_command(words, feed, strict=True)
        else:
            self._builtin(name, words)
            self._program(readers.program(name), words, feed, exported)

    def _require_known(self, word: Word, given: Words, feed: bool) -> None:
        """Refuse a name or a leading operand that may turn out as anything, where the prompt follows it."""
        if (feed or self._taint.holds(given)) and (is_all_arguments(word) or starts_code(word, self._taint.assigned)):
            self._fail(texts.UNKNOWN_NAME, texts.UNKNOWN_NAME_MEND, word.at)

    def _may_vanish(self, words: Words, *, quoted_too: bool = False) -> None:
        """Refuse `$empty "$prompt"`, where the prompt becomes the command's name if the first word comes to nothing.

        With `quoted_too` (`env "$x" "$prompt"`) a quoted word may be an assignment and so not the name either.
        """
        for word in words:
            if self._taint.holds(word.parts):
                self._fail(texts.COMMAND_NAME, texts.OWN_ARGUMENT, word.at)
            bare = all(_may_be_nothing(part) for part in word.parts)
            if not bare and not (quoted_too and word.literal is None):
                return

    def _program(self, name: str, words: Words, feed: bool, exported: bool) -> None:
        if name == "eval":
            self._eval(words, feed)
        elif name == ".":
            if len(words) != 2:
                self._differs(". FILE …", words[0].at)
            for word in words[1:]:
                if self._taint.holds(word) or _DESCRIPTOR.fullmatch(word.literal or ""):
                    self._code(name, word.at)
                self._require_unrelated(name, word)
        elif name in readers.SHELLS:
            self._shell(name, words, feed, exported)
        elif name in readers.INTERPRETERS:
            self._interpreter(name, words, feed)
        elif name in readers.WRAPPERS:
            self._wrapper(name, words, feed, exported)
        else:
            self._other(name, words, feed)

    def _other(self, name: str, words: Words, feed: bool) -> None:
        if name in readers.READ_EVERY_ARGUMENT:
            for word in self._holding(words[1:]):
                self._code(name, word.at)
        if name in readers.RUNS_OPTION:
            self._runs_option(name, words)
        if name in ("make", "gmake") and not self._taint.files.isdisjoint({"Makefile", "makefile", "GNUmakefile"}):
            self._fail(texts.SCRIPT.of(name=name), texts.SCRIPT_MEND, words[0].at)
        if feed and name in readers.READ_STDIN:
            self._code(name, words[0].at)
        if feed and name in readers.SHELL_WITHOUT_COMMAND:
            self._remote(name, words)
        self._nested_command(words, feed, strict=False)

    def _runs_option(self, name: str, words: Words) -> None:
        options = re.compile(readers.RUNS_OPTION[name])
        for before, word in itertools.pairwise(words):
            told = options.fullmatch(before.literal or "") or (word.head != "" and options.match(word.head))
            if told and self._taint.holds(word):
                self._code(name, word.at)

    def _remote(self, name: str, words: Words) -> None:
        """`ssh HOST WORDS…`: another shell reads the words, joined, as commands that get this one's standard input."""
        if self._operands(words, readers.SHELL_WITHOUT_COMMAND[name]) <= 1:
            self._code(name, words[0].at)
        self._judge_code(name, source_of(words[1:]), feed=True)

    def _operands(self, words: Words, values: str) -> int:
        """How many words are no options; `values` are the letters of options that take the next word."""
        count, index = 0, 1
        while index < len(words):
            text = words[index].literal or ""
            option = len(text) > 1 and text.startswith("-")
            count += not option or text.startswith(("-c", "--command"))
            index += 2 if option and len(text) == 2 and text[1] in values else 1
        return count

    def _unknown_name(self, words: Words, feed: bool) -> None:
        """A command named by a variable: refused where that variable may well be a shell."""
        names = [part.name for part in words[0].parts if isinstance(part, Parameter)]
        tokens = " ".join(literals(words[0].parts, self._taint.assigned)).split()
        shell = "SHELL" in names or any(readers.program(t) in readers.SHELLS | {"eval", "."} for t in tokens)
        flagged = any(
            re.match(r"-[a-z]*c$|-e$|--eval$", before.literal or "") and self._taint.holds(after)
            for before, after in itertools.pairwise(words)
        )
        if flagged or (shell and (feed or self._scripts.wrote or self._taint.holds(words))):
            self._code("$" + (names or ["…"])[0], words[0].at)
        self._nested_command(words, feed, strict=False)

    def _nested_command(self, words: Words, feed: bool, *, strict: bool) -> None:
        """Judge what a program may run among its own words (`docker exec c sh -c …`, `find -exec …`)."""
        for index in range(1, len(words)):
            literal, tail = words[index].literal or "", words[index:]
            name = readers.program(literal)
            if literal in ("-exec", "-execdir", "-ok", "-okdir"):
                if command := tuple(itertools.takewhile(lambda word: word.literal not in (";", "+"), tail[1:])):
                    self._run(command, feed)
            elif name in readers.SHELLS:
                self._shell_somewhere(name, tail, feed, strict)
            elif name in readers.INTERPRETERS:
                self._interpreter(name, tail, feed, lenient=not strict)
            elif strict and literal in ("eval", ".", "trap") and self._taint.holds(tail):
                self._code(literal, words[index].at)

    def _shell_somewhere(self, name: str, words: Words, feed: bool, strict: bool) -> None:
        """A shell among the words of another program, which may run it or not."""
        coded = any(re.fullmatch(r"-[a-z]*c", word.literal or "") for word in words[1:])
        reads = feed and all(word.head.startswith("-") for word in words[1:])
        if strict or coded or reads:
            self._shell(name, words, feed, exported=False)
            return
        script = next((word for word in words[1:] if not word.head.startswith("-")), None)
        if script is not None and not self._taint.holds(script.parts):
            self._require_unrelated(name, script)

    # Shells

    def _require_unrelated(self, name: str, script: Word) -> None:
        """Refuse a script that may hold the prompt."""
        if "{}" in (script.literal or ""):
            self._code(name, script.at)
        if self._scripts.doubtful(script):
            self._fail(texts.SCRIPT.of(name=name), texts.SCRIPT_MEND, script.at)

    def _shell(self, name: str, words: Words, feed: bool, exported: bool) -> None:
        index = 1
        if found := next(iter(self._taint.files & readers.STARTUP_FILES), None):
            self._fail(texts.SCRIPT.of(name=f"{name} ({found})"), texts.SCRIPT_MEND, words[0].at)
        while index < len(words):
            text = words[index].literal
            if text is None or not re.match(r"[-+].", text) or text == "--":
                break
            if text.startswith(("--c", "--e")) or (not text.startswith("--") and "c" in text.lower()):
                self._startup(name, words[1:index])
                self._shell_code(name, words[index:], feed, exported)
                return
            if "s" in text and not text.startswith("--"):
                for word in self._holding(words[index:]):
                    self._code(name, word.at)
                index = len(words)
            index += 2 if re.fullmatch(r"[-+][oO]|--rcfile|--init-file", text) else 1
        self._startup(name, words[1:index])
        for word in self._holding(words[1 : index + 1]):
            self._code(name, word.at)
        operands = words[index:]
        if operands and operands[0].literal == "--":
            operands = operands[1:]
        self._script(name, words, operands, feed)

    def _startup(self, name: str, options: Words) -> None:
        """A shell's options before its script or code: one of them may name a file that is read first."""
        for word in options:
            if self._taint.holds(word) or _DESCRIPTOR.search(word.literal or ""):
                self._code(name, word.at)
            if not word.head.startswith("-"):
                self._require_unrelated(name, word)

    def _script(self, name: str, words: Words, operands: Words, feed: bool) -> None:
        """The first operand names the code, or standard input is the code."""
        script = operands[0].literal or "" if operands else "-"
        if operands and (self._taint.holds(operands[0]) or _DESCRIPTOR.fullmatch(script)):
            self._code(name, operands[0].at)
        if operands:
            self._require_known(operands[0], operands[1:], feed=False)
        if operands and name not in readers.TEXT_FILTERS:
            self._require_unrelated(name, operands[0])
        if feed and script == "-" and name not in readers.TEXT_FILTERS:
            self._code(name, words[0].at)

    def _shell_code(self, name: str, words: Words, feed: bool, exported: bool) -> None:
        """`sh -c …`: nothing of the prompt may be in its words, its environment or what its code reads."""
        for word in self._holding(words):
            self._code(name, word.at)
        code = next((word for word in words[1:] if not re.match(r"[-+].", word.literal or "")), None)
        if code is None:
            return
        if exported or self._mentions(code) or (feed and code.literal is None):
            self._code(name, code.at)
        if feed or (self._scripts.wrote and code.literal is not None):
            self._judge_code(name, code, feed)

    def _eval(self, words: Words, feed: bool) -> None:
        for word in words[1:]:
            if self._taint.holds(word) or self._mentions(word):
                self._code("eval", word.at)
        plain = all(word.literal is not None for word in words[1:])
        if feed and not plain:
            self._code("eval", words[0].at)
        if words[1:] and (plain or self._scripts.wrote):
            self._judge_code("eval", source_of(words[1:]), feed)

    # Interpreters

    def _interpreter(self, name: str, words: Words, feed: bool, *, lenient: bool = False) -> None:
        """Refuse the prompt in code; unless `lenient`, as a script's name and on standard input too."""
        kind = readers.INTERPRETERS[name]
        index, coded = 1, False
        while index < len(words):
            word, head = words[index], words[index].head
            if flag := re.match(kind.code_flag, head):
                attached = word.literal is None or len(head) > flag.end()
                coded, step = True, 1 if attached else 2
                self._imports(name, word.at)
            elif head in kind.stops_at and word.literal is not None:
                self._module(name, words[index + 1 :], feed)
                return
            elif len(head) > 1 and head.startswith("-") and head != "--":
                step = 2 if len(head) == 2 and head[1] in kind.values and word.literal else 1
                if not (name in readers.TEXT_FILTERS and head.startswith("-v")):
                    flag = re.match("-", head)
            else:
                break
            for code in self._holding(words[index : index + step]) if flag else ():
                self._code(name, code.at)
            if name in readers.TEXT_FILTERS and (file := re.match(r"-[A-Za-z]*f|--file=?", head)):
                coded = True
                attached = len(head) > file.end() or (word.literal is None and head == file[0])
                for script in (word.after(file[0]),) if attached else words[index + 1 : index + 2]:
                    self._require_unrelated(name, script)
            index += step
        operands = words[index + (index < len(words) and words[index].literal == "--") :]
        if coded or (lenient and operands and operands[0].literal != "-"):
            return
        self._script(name, words, operands, feed)

    def _module(self, name: str, words: Words, feed: bool) -> None:
        """`python -m MODULE …`: nearly all modules take their arguments and standard input as data."""
        for module in words[:1]:
            self._imports(name, module.at)
            if module.literal in readers.CODE_MODULES and (feed or self._taint.holds(words[1:])):
                self._code(f"{name} -m {module.literal}", module.at)

    def _imports(self, name: str, at: int) -> None:
        """Code and modules import what stands in the current folder."""
        if name in ("python", "pypy") and any(file.endswith(".py") for file in self._taint.files):
            self._fail(texts.SCRIPT.of(name=name), texts.SCRIPT_MEND, at)

    # Programs that run their operands

    def _wrapper(self, name: str, words: Words, feed: bool, exported: bool) -> None:
        if name == "xargs":
            self._listed_scripts(words, feed)
        values, index, operands = readers.WRAPPERS[name], 1, readers.OPERANDS_BEFORE_COMMAND.get(name, 0)
        prompted, unsure = feed or self._taint.holds(words[1:]), False
        while index < len(words):
            text = words[index].head
            if text in ("--", "-"):
                index += 1
            elif text.startswith("-"):
                self._wrapper_option(name, text, words[index].at, prompted)
                unsure = unsure or (text.startswith("--") and "=" not in text)
                step = 2 if len(text) == 2 and text[1] in values else 1
                if name == "xargs" and self._taint.holds(words[index : index + step]):
                    self._fail(texts.XARGS, texts.OWN_ARGUMENT, words[index].at)
                index += step
            elif name in ("env", "sudo", "doas") and (found := re.match(r"([A-Za-z_]\w*)=", text)):
                self._assignment(found[1], words[index].after(found[0]), words[index].at)
                exported = exported or self._taint.holds(words[index])
                index += 1
            elif operands and not self._taint.holds(words[index]):
                self._require_known(words[index], words[index + 1 :], feed)
                operands, index = operands - 1, index + 1
            else:
                if name in ("env", "sudo", "doas"):
                    self._may_vanish(words[index:], quoted_too=True)
                self._run(words[index:], feed, exported)
                self._nested_command(words[index:], feed, strict=unsure)
                return
        if feed and name in readers.SHELL_BY_DEFAULT:
            self._code(name, words[0].at)

    def _listed_scripts(self, words: Words, feed: bool) -> None:
        """`xargs sh`: the scripts are what some command lists, which may be any file, the prompt's too."""
        if feed:
            self._fail(texts.XARGS, texts.OWN_ARGUMENT, words[0].at)
        replaces = any(re.match(r"-[A-Za-z0]*[IiJ]|--replace", word.head) for word in words)
        for index, word in enumerate(words[1:], 1):
            name, given = readers.program(word.literal or ""), words[index + 1 :]
            runs = name in {*readers.SHELLS, *readers.INTERPRETERS, "."} - readers.TEXT_FILTERS
            plain = [each for each in given if not each.head.startswith("-")]
            if runs and (replaces or not plain):
                self._code(name, word.at)

    def _wrapper_option(self, name: str, option: str, at: int, prompted: bool) -> None:
        splits = name == "env" and re.match(r"-[a-zA-Z0]*S|--s", option)
        shell = name in ("sudo", "doas") and re.match(r"-[a-zA-Z]*[si]$|--(sh|lo)", option)
        text = name in readers.TAKES_COMMAND_TEXT and re.match(r"-[a-z]*c|--co?m?$|--com", option)
        if prompted and (splits or shell or text):
            self._code(f"{name} {option}", at)
