"""Command templates made at random from a grammar of POSIX shell, and hostile prompts.

A template is made of productions; those that the contract refuses wherever they stand carry a label, so that
the measurement can tell a refusal that is due from one that is not. Same seed, same templates.
"""

from __future__ import annotations

import itertools
import random
from dataclasses import dataclass

# Forms with the placeholder that must be refused, and why. `{}` is where a whole command goes.
REFUSED_WORDS = [
    ("single quotes", "'do $prompt'"),
    ("single quotes", "'$prompt $prompt_file'"),
    ("back-quotes", "`printf %s $prompt`"),
    ("back-quotes", '"`cat $prompt_file`"'),
    ("arithmetic", "$(( $prompt ))"),
    ("arithmetic", "$((prompt))"),
    ("operator", '"${prompt#x}"'),
    ("operator", '"${none:-$prompt}"'),
    ("operator", '${none:-"$prompt"}'),
    ("operator", '"${prompt%%y*}"'),
    ("unquoted carrier", "$(cat $prompt_file)"),
    ("unquoted carrier", "$(printf %s $prompt)"),
    ("brace list", "{a,$prompt}"),
    ("dialect", '$"x$prompt"'),
]
REFUSED_COMMANDS = [
    ("comment", "agent a # $prompt"),
    ("quoted here-document", "agent <<'E'\n$prompt\nE"),
    ("quoted here-document", "agent <<\\E\n$prompt\nE"),
    ("command name", "$prompt a"),
    ("command name", 'X=1 "$prompt"'),
    ("assignment", 'prompt=x; agent "$prompt"'),
    ("assignment", 'for prompt in a b; do agent "$prompt"; done'),
    ("code", 'eval "$prompt"'),
    ("code", 'eval agent "$prompt"'),
    ("code", "trap '$prompt' EXIT"),
    ("code", ". $prompt_file"),
    ("code", 'sh -c "$prompt"'),
    ("code", 'bash -c "agent $prompt"'),
    ("code", "env sh -c 'agent \"$1\"' x $prompt"),
    ("code", 'env -S "agent $prompt"'),
    ("code", 'printf %s "$prompt" | sh'),
    ("code", "cat $prompt_file | bash -s"),
    ("code", "sh <<E\n$prompt\nE"),
    ("code", "sh < $prompt_file"),
    ("code", "{ cat; sh; } < $prompt_file"),
    ("code", "exec 3< $prompt_file; cat <&3 | sh"),
    ("code", 'f() { x=$(cat); }; f < $prompt_file; eval "$x"'),
    ("code", 'export P="$prompt"; printenv P | sh'),
    ("code", "find . -maxdepth 0 -exec sh \\; < $prompt_file"),
    ("code", 'y=sh; run() { "$@"; }; run $y -c "$prompt"'),
    ("arithmetic", "y=prompt; agent $((y)) $prompt"),
    ("code", 'timeout 5 sh -c "$prompt"'),
    ("code", 'x=$prompt; eval "$x"'),
    ("code", 'set -- "$prompt"; eval "$1"'),
    ("code", 'python3 -c "$prompt"'),
    ("code", 'find . -maxdepth 0 -exec sh -c "$prompt" \\;'),
    ("code", 'less "+!$prompt" /dev/null'),
    ("code", 'git grep -O"$prompt" x'),
    ("code", 'git grep --open-files-in-pager="$prompt" x'),
    ("code", 'socat - EXEC:"$prompt"'),
    ("code", 'printf x | entr -s "$prompt"'),
    ("code", "m4 $prompt_file"),
    ("code", "bc < $prompt_file"),
    ("code", 'printf %s "$prompt" > s1; sh s1'),
    ("code", "cp $prompt_file s1; . ./s1"),
    ("code", "exec > s1; printf %s $prompt; sh s1 >&2"),
    ("code", 'command() { eval "$2"; }; command agent "$prompt"'),
    ("code", "cat $prompt_file | agent `sh`"),
    ("code", 'cat $prompt_file | { x=$(cat); eval "$x"; }'),
    ("code", '${none-} "$prompt"'),
    ("assignment", "printf -v x %s $prompt; agent"),
    ("assignment", 'x=$prompt; agent "$x"'),
    ("assignment", 'x="a $prompt"\nagent "${x}" x'),
    ("assignment", "X=$prompt agent a $prompt"),
    ("assignment", "env X=$prompt agent a"),
    ("assignment", 'x=$(cat $prompt_file) && agent --t="$x"'),
    ("assignment", "x=$( agent $prompt\n)"),
    ("assignment", 'x=$(cat <<E\nuser"s $prompt\nE\n); agent "$x"'),
    ("assignment", 'export X=$prompt; agent "$X"'),
    ("assignment", 'set -- $prompt b; agent "$@"'),
    ("assignment", 'set -- agent $prompt; "$@"'),
    ("list", 'for x in $prompt y; do agent "$x"; done'),
    ("list", "case $prompt in '') agent e $prompt;; *) agent e $prompt;; esac"),
    ("list", 'case x in *"$prompt"*) agent no ;; *) agent "$prompt" ;; esac'),
    ("function", "f() { agent $prompt\n}\nf"),
    ("function", "f () ( agent $prompt\n)\nf a b"),
    ("function", 'f() { agent "$2" "$1"; }; f $prompt y'),
    ("redirect", 'agent a > "$prompt"'),
    ("redirect", 'agent a < "$prompt"'),
    ("echo", 'echo "$prompt" | agent'),
    ("unquoted carrier", "x=$prompt; agent $x"),
    ("dialect", 'agent <<< "$prompt"'),
    ("dialect", "agent <(cat $prompt_file)"),
]
# Without a placeholder of their own; real shells differ in them.
REFUSED_SETUPS = [
    ("dialect", "x=$'a\\nb'"),
    ("dialect", 'x=$"a"'),
    ("dialect", "x=(a b)"),
    ("dialect", "agent {a,b}"),
    ("dialect", "agent a &> /dev/null"),
    ("dialect", "agent a |& cat"),
    ("dialect", "[[ a == a ]]"),
    ("dialect", "(( 1 ))"),
    ("dialect", "function f { true; }"),
    ("dialect", "agent <(true)"),
    ("dialect", "x=${HOME/a/b}"),
    ("dialect", "source /dev/null"),
    ("dialect", "set -o pipefail"),
]
PLAIN_WORDS = [
    "run", "-m", "a.b/c", "'two words'", '"two words"', "a\\ b", '"it\'s"', "'say \"hi\"'", "--x=1", "'$HOME'",
    "\\$prompt",
    "$prompts", '"${none:-a b}"', "${none:-c}", "$((1 + 2))", '"$(printf "%s" x)"', "`printf y`", "\\\\", "'#'",
    "a#b",
    '"#"', "no*match", "[z]", "{}", "'{a,b}'", "\\{a,b\\}", '"a\\"b"', '"\\$prompt"', "=x", "@y", "~x", "!",
    "''", '""',
    "'\\'", '"\\\\"', "'*'", '"a\nb"', "$#", "$?", "字", '"${#HOME}"', "${none-}", "%s",
]  # fmt: skip
SETUPS = [
    "set -e", "set -u", "x=1", "x=$(printf '%s' a); y=$x", "export X=1", "umask 077", ": comment # it's one",
    "# a line",
    "cd .", "true", "x=\"a b\" y='c'", "unset none", "f() { return 0; }; f", "trap 'true' EXIT", ". /dev/null",
    "readonly R=1", "[ -n \"$HOME\" ] || exit 3", "case $# in 0) ;; *) exit 4 ;; esac", "x=`printf a`", "! false",
    "eval 'x=1'", "command -v agent > /dev/null", "sh -c 'exit 0'", "while false; do :; done",
]  # fmt: skip


@dataclass(frozen=True)
class Made:
    """A template and the labels of the productions in it that the contract refuses."""

    source: str
    labels: tuple[str, ...]


class Maker:
    """Makes templates; `share` of them get something that must be refused."""

    def __init__(self, seed: int, share: float = 0.35) -> None:
        self._random = random.Random(seed)
        self._share = share
        self._labels: list[str] = []
        self._names = 0

    def make(self) -> Made:
        """One template with at least one placeholder."""
        self._labels, self._names = [], 0
        bad = self._pick(["word", "command", "setup"]) if self._random.random() < self._share else ""
        lines = self._random.sample(SETUPS, self._random.choice([0, 0, 1, 1, 2]))
        if bad == "setup":
            lines.insert(self._random.randint(0, len(lines)), self._labelled(REFUSED_SETUPS))
        if bad == "command":
            lines.append(self._labelled(REFUSED_COMMANDS))
        else:
            word = self._labelled(REFUSED_WORDS) if bad == "word" else ""
            lines.append(self._nested(self._random.choice([0, 0, 1, 1, 2, 3]), word))
        joined = lines[0]
        for before, line in itertools.pairwise(lines):
            plain = "#" not in before and "\n" not in before
            joined += (self._pick(["; ", "\n", " && ", "\n\n"]) if plain and before != "! false" else "\n") + line
        return Made(
            joined + self._pick(["", "\n", "  # done\n"] if "<<" not in joined else ["", "\n"]), tuple(self._labels)
        )

    def _pick(self, choices: list[str]) -> str:
        return self._random.choice(choices)

    def _labelled(self, choices: list[tuple[str, str]]) -> str:
        label, text = self._random.choice(choices)
        self._labels.append(label)
        return text

    def _name(self) -> str:
        self._names += 1
        return f"v{self._names}"

    def _nested(self, depth: int, bad: str) -> str:
        """A command that hands the placeholder to the agent, inside `depth` compound commands."""
        if depth == 0:
            return self._delivery(bad)
        inner, name = self._nested(depth - 1, bad), self._name()
        return self._pick(
            [
                f"{{ {inner}\n}}",
                f"( {inner}\n)",
                f"if true; then {inner}\nfi",
                f"if false; then agent no\nelse\n\t{inner}\nfi",
                f"if false; then :; elif true\nthen {inner}\nelse agent no; fi",
                f"for {name} in 1; do {inner}\ndone",
                f"for {name} in a 'b c'\ndo\n{inner}\ndone > /dev/null",
                f'while {inner}\n[ -z "$HOME" ]; do :; done',
                f"until {inner}\ntrue; do :; done",
                f"case x in y) agent no ;; x|z) {inner}\n;; esac",
                f'case "a b" in\n(a*) {inner}\n;;\n*) agent no\nesac',
                f"true && {{ {inner}\n}} || exit 5",
                f"{inner}\nagent after",
                f"! {{ {inner}\nfalse; }}",
                f"printf '%s' \"$({inner}\n)\" > /dev/null",
                f"{{ {inner}\n}} 2>&1 | cat > /dev/null",
                f"{{ {inner}\n}} &\nwait",
            ]
        )

    def _delivery(self, bad: str) -> str:
        words = [self._pick(PLAIN_WORDS) for _ in range(self._random.choice([0, 1, 1, 2, 3]))]
        hole = bad or self._hole(2)
        words.insert(self._random.randint(0, len(words)), hole)
        glue = self._pick([" ", " ", " ", "  ", "\t", " \\\n  "])
        line, name = glue.join(["agent", *words]), self._name()
        if bad:
            return line
        document = f"\nline $prompt\n\t${{prompt}} {self._pick(PLAIN_DOCUMENT)}\n"
        return self._pick(
            [
                line, line, line, line,
                f"{line} 2>&1", f"{line} > /dev/null 2>&1", f"X=a {line}",
                f"{line} && agent {hole}", f"{line} | cat", f"{line}; agent $prompt", "agent < $prompt_file",
                f"{line} <$prompt_file", "agent - 0< '$prompt_file'", f"cat $prompt_file | {line}",
                f"printf '%s\\n' {hole} | agent x", f"printf 'a %s b\\n' {hole} | cat | agent",
                f"agent <<E{document}E", f"agent <<-E1 x | cat{document}\tE1", f"cat <<E_F | agent{document}E_F",
                f"agent a <<A 3<<B{document}A{document}B", f"{{ cat; printf '%s' {hole}; }} < $prompt_file | agent",
                f"[ -s $prompt_file ] && agent {hole}", f"env X=1 agent {hole}", f"exec agent {hole}",
                f"command agent {hole}", f"nice -n 1 agent {hole}", f"timeout 20 agent {hole}",
                f"env -u X agent {hole}",
                f"(cd . && {line})", f"agent \"$HOME\" {hole} || exit 1",
                f"while read -r {name}; do agent \"${name}\" {hole}; done <<E\none\nE",
                f"{name}=$(cat <<'E'\nuser's (\nE\n); agent \"${name}\" {hole}",
                "sed -n p $prompt_file | agent", "cp $prompt_file copy.txt; agent < copy.txt",
            ]
        )  # fmt: skip

    def _hole(self, depth: int) -> str:
        """A word with the placeholder in it."""
        simple = [
            '"$prompt"', "$prompt", "'$prompt'", '"${prompt}"', "${prompt}", "--t=$prompt", "--t='$prompt'",
            '"a $prompt b"',
            "a\"$prompt\"'b'", "\\'$prompt", '"\\"$prompt\\""', '"$HOME/$prompt"', "x$prompt-y",
            '"$prompt$prompt"', "$prompt$prompt",
            '"${prompt}字"', "字$prompt", '"`printf a`$prompt"', "\"it's $prompt\"", "=$prompt", "~$prompt",
            "'a'$prompt", "@$prompt",
            "*$prompt", "[$prompt]", "$prompt?", "{$prompt}", "%s$prompt", "\"\n$prompt\n\"", '"$(cat $prompt_file)"',
            '"$(cat "$prompt_file")x"',
        ]  # fmt: skip
        if depth == 0 or self._random.random() < 0.7:
            return self._pick(simple)
        inner = self._hole(depth - 1)
        return self._pick(
            [
                f"\"$(printf '%s' {inner})\"",
                f"\"a$(printf '%s\\n' {inner})b\"",
                f'"$( (printf %s {inner}) )"',
                f'"$(if true; then printf %s {inner}; fi)"',
                f'"$(case a in a) printf %s {inner};; esac)"',
                '"$(cat <<E\n$prompt\nE\n)"',
                f'"$(printf %s {inner} # it)\n)"',
                f'"$(printf %s {inner} | cat)"',
            ]
        )


PLAIN_DOCUMENT = [
    'it\'s "q"',
    "\\$prompt \\\\ \\`",
    "$(printf x) `printf y`",
    "# no comment",
    "$((1+1)) ${none:-d}",
    "'a' (",
    "*",
]


def prompts(canary: str, count: int, seed: int = 7) -> list[str]:
    """At least `count` hostile prompts; each tries to run the program `canary`."""
    c = canary
    found = [
        f"$({c})", f"`{c}`", f";{c};", f"|{c}", f"||{c}", f"&&{c}", f"&{c}&", f'"$({c})"', f"';{c};'",
        f'";{c};"', f"\n{c}\n",
        f"a\n{c}", f"<({c})", f">({c})", f"${{x:=$({c})}}", f"$((a[$({c})]))", f"a[$({c})0]", f"x[$({c})]=1",
        f"}};{c};{{",
        f");{c};(", f"E\n{c}\nE\n", f"E1\n{c}", f"\tE1\n{c}", f"END\n{c}", f"EOF\n{c}\nEOF", f"E_F\n{c}",
        f"\nE\n{c}\n", f"A\n{c}\nB\n{c}",
        f"'\"'\"';{c};'\"'\"'", f"\\$({c})", f"\\\\$({c})", f"\\`{c}\\`", f"$'\\n{c}'", f'$"`{c}`"',
        f"() {{ :;}}; {c}",
        f"-c {c}", f"-e {c}", "-n", "-e", "-E", "--", "-", "--help", "-- [ ] item", "!", "!!", f"!{c}", "~",
        "~root", "*", "?", "[a-z]*",
        "{a,b}", "{1..9}", "$prompt", "${prompt}", "$prompt_file", "'$prompt'", '"$prompt"',
        "$1 $2 $@ $* $# $0 $$ $? $! $-", "$", "$$",
        "\\", "\\\\", "a\\", "\\\n", "'", '"', "`", "''", '""', "'\"`", "it's", 'say "hi"', "a'b\"c`d$e\\f",
        "#", "# comment", "a # b",
        "a\tb", " a ", "  ", "\t", "\n", "\n\n", "a\n\n\nb", "\ra\r\n", "a\r", "%s", "%n%d%x%%", "%b\\n",
        "\\n\\t\\c\\0101\\x41\\u4e2d",
        "a\\nb\\cEND", "\\e[31m", "\x1b]0;t\x07", "".join(map(chr, range(1, 32))), "\x7f", "\x01\x02\x7f",
        "中文提示词", "é\u0081\u0088\u00ff",
        "".join(map(chr, range(128, 256))), "😀\u200d🔥", "e\u0301\u202e\u2066", "\ufeffbom", "\ufffd",
        "\U0010ffff", "ÿþ", "\u2028\u2029\u0085",
        "=x", "x=1", f"x=$({c}) y", f"PATH=. {c}", "IFS=x", "prompt=x", "@file", "/idea", f"@({c})", f"+({c})",
        f"!({c})", f"=({c})",
        f"if true; then {c}; fi", f"for i in 1; do {c}; done", f"case x in x) {c};; esac", f"esac; {c}",
        f"done; {c}", f"fi\n{c}",
        f"function f {{ {c}; }}; f", f"coproc {c}", f"eval {c}", f"trap {c} EXIT", f"exec {c}", f". {c}",
        f"[[ -v a[$({c})] ]]",
        f"${{!x}}${{x@P}}${{x[$({c})]}}", f"$[$({c})]", f"$(( $({c}) ))", f"${{ {c}; }}", f"${{|{c};}}", "$(",
        "${", "$((", "`a", "'a", '"a',
        "<<E", "<<'E'\nx\nE", "<", ">", f">{c}", "2>&1", "&>x", "a|b", "a;b", "a&b", "(a)", "{ a; }",
        "/dev/tcp/127.0.0.1/9",
        "import os", f"__import__('os').system('{c}')", "a" * 5000, "中" * 3000, "'" * 2000, "$(" * 500,
        "\\" * 999, "\n" * 500 + "x",
    ]  # fmt: skip
    chance = random.Random(seed)
    alphabet = [*"'\"\\$`!\n#~*?{}<>|&;() \t中=[]%-^@,.:", "$prompt", "$(", "${", c]
    while len(found) < count:
        found.append("".join(chance.choice(alphabet) for _ in range(chance.randint(1, 60))))
    return found
