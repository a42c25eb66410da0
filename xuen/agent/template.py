"""Command templates: how the prompt reaches an agent's command as data.

Owns: `parse` and `parse_argv`, which accept a template or say what is wrong with it and where; the command line that
runs it; the cleaning of prompts and of the environment. Refuses everything that common shells could read differently,
and every way in which the prompt could become code. Always holds: the prompt and the path of its file are positional
arguments of `/bin/sh`, never a part of its source, so there is nothing to escape; or there is no shell. Both are pure;
only `check_with_shell` starts a process.
"""

from __future__ import annotations

import os
import platform
import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from xuen.agent.shell.lexer import Lexer
from xuen.agent.shell.parser import Parser
from xuen.agent.shell.readers import NO_DATA, program
from xuen.agent.shell.rules import Rules
from xuen.agent.shell.tree import PLACEHOLDERS, Literal, Parameter, Part, Pipeline, Simple, Word, holds, walk
from xuen.errors import PromptTooLong, TemplateError
from xuen.proc.environment import outside_git
from xuen.texts import template as texts

SHELL = "/bin/sh"
UNSAFE_NAMES = ("prompt", "prompt_file", "ENV", "BASH_ENV", "SHELLOPTS", "BASHOPTS")
"""Inherited variables that would export the prompt, or have a shell read a file or change its options first."""

_PREFIX = "prompt=$1 prompt_file=$2; shift 2\n"
_IN_WORD = re.compile(r"\$(?:\{(prompt_file|prompt)\}|(prompt_file|prompt)(?!\w))", re.ASCII)
_EXPORTED_FUNCTION = re.compile(r"BASH_FUNC_.*(%%|\(\))", re.DOTALL)
_LINUX_ARGUMENT = 131_071  # bytes: MAX_ARG_STRLEN of execve(2), 32 pages of 4 KiB, less the NUL
_BUILTINS = NO_DATA | {":", "true", "false", "cd", "pwd", "printf", "test", "[", "echo", "eval", "trap", "."}
# Commands whose output is as long as what they read or are given.
_PASSERS = re.compile(r"cat|printf|echo|head|tail|sed|tr|fold|fmt|cut|sort|tac|nl|awk|jq|iconv|expand|tee|base64")
_SHELL_SECONDS = 20.0  # `sh -n` only reads a few lines
_SHELL_LINE = re.compile(r"(?:line )?(\d+): ")


@dataclass(frozen=True)
class Template:
    """An accepted template. `script` is its source with every bare or single-quoted placeholder double-quoted.

    With `words` there is no shell: they are the command line, and the placeholders in them are replaced.
    """

    source: str
    script: str
    uses_prompt: bool
    uses_prompt_file: bool
    _sizes: tuple[tuple[int, int, int], ...] = field(default=(), repr=False)
    words: tuple[str, ...] = ()

    def argv(self, prompt: str, prompt_file: str) -> list[str]:
        """The command line for one call; for a shell `$0` is `xuen` and `$@` is empty.

        `prompt` is cleaned as by `clean_prompt`; the file must hold the same text.

        Raises:
            PromptTooLong: a program would get an argument longer than the system takes.
        """
        prompt = clean_prompt(prompt)
        longest, limit = self.longest_argument(prompt, prompt_file), argument_limit()
        if longest > limit:
            raise PromptTooLong(texts.PROMPT_TOO_LONG.of(size=longest, limit=limit), mend=texts.PROMPT_TOO_LONG_MEND)
        if self.words:
            values = {"prompt": prompt, "prompt_file": prompt_file}
            return [_IN_WORD.sub(lambda found: values[found[1] or found[2]], word) for word in self.words]
        return [SHELL, "-c", _PREFIX + self.script, "xuen", prompt if self.uses_prompt else "", prompt_file]

    def longest_argument(self, prompt: str, prompt_file: str = "") -> int:
        """Bytes of the longest argument or environment string with the prompt in it, without its NUL; 0 if none.

        Counts the shell's own arguments and those of the programs that the template starts.
        """
        text, path = len(clean_prompt(prompt).encode()), len(os.fsencode(prompt_file))
        own = (text,) if self.uses_prompt and not self.words else ()
        return max((*own, *(fixed + n * text + m * path for fixed, n, m in self._sizes)), default=0)


def parse(source: str) -> Template:
    """Accept a command template, or say what is wrong with it.

    Raises:
        TemplateError: with line and column within `source`, and the mend.
    """
    lexer = Parser(source)
    _check_characters(lexer)
    try:
        tree = lexer.whole()
        if not lexer.used:
            raise TemplateError(texts.MISSING, line=1, column=1, mend=texts.MISSING_MEND)
        Rules(lexer, tree).check()
        started = [n for n in walk(tree) if isinstance(n, Simple) and n.words and n.words[0].text not in _BUILTINS]
        sizes = tuple(_length(word.parts) for command in started for word in command.words if holds(word))
    except RecursionError:  # hundreds of levels: no person wrote that
        raise TemplateError(texts.NESTED_TOO_DEEPLY, line=1, column=1, mend=texts.PUT_IN_SCRIPT) from None
    script = _edited(source, lexer.edits)
    if len((_PREFIX + script).encode()) > argument_limit():
        raise TemplateError(texts.TOO_LONG, line=1, column=1, mend=texts.PUT_IN_SCRIPT)
    return Template(source, script, "prompt" in lexer.used, "prompt_file" in lexer.used, sizes)


def parse_argv(words: Sequence[str]) -> Template:
    """Accept a command line that no shell reads, or say what is wrong with it.

    Raises:
        TemplateError: with the number of the word as line and the column within it, and the mend.
    """
    lexer = Lexer("\n".join(words))
    _check_characters(lexer)
    found, at = [], 0
    for number, word in enumerate(words):
        # No word here is a builtin of a shell, which a path says.
        found.append(Word(_parts("/" * (number == 0 and "/" not in word) + word, at), at))
        at += len(word) + 1
    used = {part.name for word in found for part in word.parts if isinstance(part, Parameter)}
    if not used:
        raise TemplateError(texts.MISSING, line=1, column=1, mend=texts.MISSING_MEND)
    Rules(lexer, (Pipeline((Simple((), tuple(found), (), 0),)),)).check()
    sizes = tuple(_length(_parts(word, 0)) for word in words)
    return Template(shlex.join(words), "", "prompt" in used, "prompt_file" in used, sizes, tuple(words))


def check_with_shell(template: Template) -> None:
    """Ask `/bin/sh -n` about the script, if a shell is to run it; nothing in it is run.

    Raises:
        TemplateError: the shell refuses it, or could not be asked.
    """
    import subprocess

    if template.words:
        return
    command = [SHELL, "-n", "-c", template.script, "xuen"]
    try:
        asked = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=clean_environment(os.environ),
            timeout=_SHELL_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise TemplateError(texts.NO_SHELL.of(said=reason), line=1, column=1, mend=texts.NO_SHELL_MEND) from None
    if asked.returncode == 0:
        return
    said = asked.stderr.decode(errors="replace").partition("\n")[0].removeprefix("xuen: ")
    place = _SHELL_LINE.match(said)
    line = min(int(place[1]) if place else 1, template.source.count("\n") + 1)
    what = texts.SHELL_REFUSES.of(said=said[place.end() :] if place else said)
    raise TemplateError(what, line=max(line, 1), column=1, mend=texts.SHELL_REFUSES_MEND)


def clean_prompt(text: str) -> str:
    """The text as every way of passing it can carry it: no NUL, no lone surrogate, no newline at its end."""
    whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return whole.replace("\0", "").rstrip("\n")


def clean_environment(inherited: Mapping[str, str], own: Mapping[str, str] | None = None) -> dict[str, str]:
    """The inherited environment outside of any repository of git, with `own` on top.

    What would change how the shell reads a template is in neither: `UNSAFE_NAMES`, functions that bash exports.
    """
    return {
        name: value
        for name, value in (outside_git(inherited) | dict(own or {})).items()
        if name not in UNSAFE_NAMES and not _EXPORTED_FUNCTION.fullmatch(name)
    }


@cache
def argument_limit() -> int:
    """Bytes that one argument of a command may have, without the NUL at its end.

    On Linux it is fixed. Elsewhere only the sum of arguments and environment is limited: half of it.
    """
    if platform.system() == "Linux":
        return _LINUX_ARGUMENT
    return int(os.sysconf("SC_ARG_MAX")) // 2


def _check_characters(lexer: Lexer) -> None:
    if bad := re.search("[\0\ud800-\udfff]", lexer.source):
        lexer.fail(texts.NUL, texts.NUL_MEND, bad.start())


def _parts(word: str, at: int) -> tuple[Part, ...]:
    """The parts of a word that no shell reads."""
    parts, done = list[Part](), 0
    for found in _IN_WORD.finditer(word):
        parts += [Literal(word[done : found.start()], quoted=True), Parameter(found[1] or found[2], "", (), True, at)]
        done = found.end()
    return (*parts, Literal(word[done:], quoted=True))


def _length(parts: Sequence[Part]) -> tuple[int, int, int]:
    """Bytes of a word without the prompt, and how often the prompt and the path of its file stand in it.

    What cannot be known (an agent's output, a variable of the environment) counts as nothing: then the system refuses.
    """
    fixed = prompts = paths = 0
    for part in parts:
        if isinstance(part, Literal):
            fixed += len(part.text.encode())
        elif isinstance(part, Parameter):
            prompts, paths = prompts + (part.name == "prompt"), paths + (part.name == "prompt_file")
        elif all(n.words and _PASSERS.fullmatch(program(n.words[0].text)) for n in walk(part) if isinstance(n, Simple)):
            prompts += sum(isinstance(n, Parameter) and n.name in PLACEHOLDERS for n in walk(part))
    return fixed, prompts, paths


def _edited(source: str, edits: list[tuple[int, int, str]]) -> str:
    parts, done = [], 0
    for start, end, text in sorted(edits):
        parts += [source[done:start], text]
        done = end
    return "".join([*parts, source[done:]])
