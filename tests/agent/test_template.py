"""Templates as values: the command line, the limit for one argument, prompts and environments made clean."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from xuen.agent.template import (
    UNSAFE_NAMES,
    Template,
    argument_limit,
    check_with_shell,
    clean_environment,
    clean_prompt,
    parse,
    parse_argv,
)
from xuen.errors import PromptTooLong, TemplateError

SHELLS = {"dash": "dash", "bash": "bash", "bash as sh": "bash", "busybox": "busybox"}
NAMES = {"dash": "dash", "bash": "bash", "bash as sh": "sh", "busybox": "sh"}
EACH_SHELL = [pytest.param(name, marks=pytest.mark.needs(program)) for name, program in SHELLS.items()]


def run(shell: str, argv: list[str], folder: Path, **env: str) -> str:
    """What a command line prints when that shell stands in for /bin/sh."""
    done = subprocess.run(
        [NAMES[shell], *argv[1:]],
        executable=shutil.which(SHELLS[shell]),
        cwd=folder,
        env=clean_environment({"PATH": os.environ["PATH"], **env}),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=30,
        check=False,
    )
    return done.stdout.decode()


def test_the_command_line_holds_the_prompt_only_as_an_argument() -> None:
    template = parse("agent $prompt < $prompt_file")
    argv = template.argv("do $(this)", "/w/p.txt")
    assert argv[:2] == ["/bin/sh", "-c"]
    assert "this" not in argv[2]
    assert argv[2].endswith('agent "$prompt" < "$prompt_file"')
    assert argv[3:] == ["xuen", "do $(this)", "/w/p.txt"]


def test_the_prompt_argument_is_empty_where_the_template_does_not_use_it() -> None:
    template = parse("agent < $prompt_file")
    assert (template.uses_prompt, template.uses_prompt_file) == (False, True)
    assert template.argv("x" * 1_000_000, "/w/p.txt")[4:] == ["", "/w/p.txt"]


@pytest.mark.parametrize("shell", EACH_SHELL)
def test_the_template_sees_no_arguments_and_the_name_xuen(shell: str, tmp_path: Path) -> None:
    template = parse('printf \'%s|\' "$#" "$0" "$prompt" "$prompt_file"')
    assert run(shell, template.argv("a b", "/w/p.txt"), tmp_path) == "0|xuen|a b|/w/p.txt|"


@pytest.mark.parametrize("shell", EACH_SHELL)
def test_neither_variable_is_exported(shell: str, tmp_path: Path) -> None:
    template = parse('set -a; env; : "$prompt" "$prompt_file"')
    printed = run(shell, template.argv("secret", "/w/p.txt"), tmp_path, prompt="old", prompt_file="old")
    assert not re.search(r"^prompt(_file)?=|secret|old", printed, re.MULTILINE)


@pytest.mark.parametrize("shell", EACH_SHELL)
def test_files_with_fitting_names_do_not_take_the_place_of_the_prompt(shell: str, tmp_path: Path) -> None:
    for name in ("ab", "xab", "a"):
        (tmp_path / name).touch()
    template = parse("printf '%s|' $prompt *$prompt [$prompt] \"$prompt\"? *$prompt* x*")
    assert run(shell, template.argv("a", ""), tmp_path) == "a|*a|[a]|a?|*a*|xab|"


@pytest.mark.parametrize("shell", EACH_SHELL)
def test_what_the_environment_says_does_not_change_what_arrives(shell: str, tmp_path: Path) -> None:
    startup = tmp_path / "startup"
    startup.write_text("printf() { echo startup; }\n")
    template = parse("IFS=; printf '%s|' a$prompt '$prompt' \"$(printf %s $prompt)\"")
    printed = run(
        shell,
        template.argv("x y\\n*", ""),
        tmp_path,
        IFS="xy",
        ENV=str(startup),
        BASH_ENV=str(startup),
        SHELLOPTS="posix:noglob:allexport",
        BASHOPTS="xpg_echo:extglob",
        POSIXLY_CORRECT="1",
        **{"BASH_FUNC_printf%%": "() { echo function; }"},
    )
    assert printed == "ax y\\n*|x y\\n*|x y\\n*|"


def test_the_environment_loses_only_what_is_unsafe() -> None:
    kept = {"PATH": "/bin", "LANG": "C", "prompts": "1", "BASH_FUNCTIONS": "x"}
    unsafe = dict.fromkeys(UNSAFE_NAMES, "x") | {"BASH_FUNC_ls%%": "() { :; }", "BASH_FUNC_ls()": "() { :; }"}
    assert clean_environment(kept | unsafe) == kept


@pytest.mark.parametrize(
    ("source", "prompt", "size"),
    [
        ('agent "$prompt"', "abc", 3),
        ("agent --text=$prompt", "abc", 10),
        ('agent "pre $prompt$prompt"', "abc", 10),
        ('agent "$prompt"', "中文", 6),
        ('agent "$(cat $prompt_file)"', "abc", 3),
        ('agent "字$(cat $prompt_file)$prompt"', "abc", 9),
        ("env X=1 agent --t=$prompt", "abc", 7),
        ("printf '%s' \"$prompt$prompt\" | agent", "abc", 3),
        ("agent <<E\n$prompt$prompt\nE\n", "abc", 3),
        ("agent < $prompt_file", "abc", 0),
        ('agent "$(wc -c < $prompt_file)" < $prompt_file', "abc", 0),
    ],
)
def test_the_longest_argument_counts_the_whole_word(source: str, prompt: str, size: int) -> None:
    assert parse(source).longest_argument(prompt) == size


@pytest.mark.parametrize(
    "source", ['/bin/true "$prompt"', '/bin/true "--text=$prompt"', '/bin/true "$(cat $prompt_file)"']
)
def test_a_prompt_at_the_limit_runs_and_one_byte_more_is_refused_before_anything_starts(
    source: str, tmp_path: Path
) -> None:
    file = tmp_path / "p.txt"
    template = parse(source + " && printf ran")
    length = argument_limit() - template.longest_argument("")
    file.write_text("x" * length)
    assert run("dash", template.argv("x" * length, str(file)), tmp_path) == "ran"
    with pytest.raises(PromptTooLong) as caught:
        template.argv("x" * (length + 1), str(file))
    assert "$prompt_file" in caught.value.line("en")
    assert "$prompt_file" in caught.value.line("zh")
    assert "xxx" not in caught.value.line("en")


def test_a_file_has_no_limit(tmp_path: Path) -> None:
    file = tmp_path / "p.txt"
    file.write_text("y" * 2_000_000)
    assert run("dash", parse("wc -c < $prompt_file").argv("y" * 2_000_000, str(file)), tmp_path).strip() == "2000000"


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("a\0b", "ab"),
        ("a\ud83d", "a\ufffd"),
        ("\udcffa\ud800b", "\ufffda\ufffdb"),
        ("\ud83d\ude00", "😀"),
        ("a\n\n", "a"),
        ("a\n\0\n", "a"),
        ("a \r", "a \r"),
        ("\n a", "\n a"),
        ("", ""),
        ("😀字\u0301\ufeff", "😀字\u0301\ufeff"),
    ],
)
def test_a_prompt_is_made_fit_for_every_way_of_passing_it(text: str, clean: str) -> None:
    assert clean_prompt(text) == clean
    assert parse('agent "$prompt"').argv(text, "")[4] == clean


@pytest.mark.parametrize("source", ['agent "$prompt"; f()', "if true; then fi; agent $prompt", "agent $prompt; done"])
def test_what_the_grammar_does_not_allow_is_refused(source: str) -> None:
    with pytest.raises(TemplateError):
        check_with_shell(parse(source))


def test_the_shell_itself_is_asked_and_its_line_is_told() -> None:
    broken = Template("agent $prompt\nfi\n", 'agent "$prompt"\nfi\n', True, False)
    with pytest.raises(TemplateError) as caught:
        check_with_shell(broken)
    assert caught.value.line_number == 2
    assert caught.value.line("en").startswith("/bin/sh does not accept the command: ")


def test_asking_the_shell_runs_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    check_with_shell(parse(f": > {mark}; x=$(: > {mark}); agent $prompt"))
    assert not mark.exists()


@pytest.mark.parametrize("source", ["agent $prompt\0", "agent $prompt \ud800"])
def test_characters_that_no_shell_can_be_given_are_refused(source: str) -> None:
    with pytest.raises(TemplateError) as caught:
        parse(source)
    assert (caught.value.line_number, caught.value.column) == (1, source.index(source[-1]) + 1)


@pytest.mark.parametrize("opening", ['"$(a ', "( ", "${x:-", "if "])
def test_nesting_without_end_is_refused_and_not_a_crash(opening: str) -> None:
    with pytest.raises(TemplateError):
        parse(opening * 5000 + "$prompt")


def test_every_message_names_no_part_of_the_template() -> None:
    with pytest.raises(TemplateError) as caught:
        parse("run --key hunter2 'do $prompt now'")
    for language in ("en", "zh"):
        assert "hunter2" not in caught.value.line(language)
        assert "do $prompt now" not in caught.value.line(language)


@pytest.mark.parametrize(
    "wrapper", ["exec", "nohup", "timeout 600", "timeout -k 5 60", "nice -n 5", "env A=1", "sudo -u bob"]
)
@pytest.mark.parametrize(
    "command",
    ['./agent.sh "$prompt"', '/opt/v/bin/python agent.py "$prompt"', "/opt/bin/agent < $prompt_file > out.txt"],
)
def test_an_ordinary_agent_behind_an_ordinary_wrapper_is_accepted(wrapper: str, command: str) -> None:
    parse(f"{wrapper} {command}")


@pytest.mark.parametrize(
    "template", ["timeout 5 cp $prompt_file x; ./x", "sort $prompt_file -o s; timeout 5 nohup ./s"]
)
def test_a_wrapper_hides_no_file_that_holds_the_prompt(template: str) -> None:
    with pytest.raises(TemplateError):
        parse(template)


@pytest.mark.parametrize(
    "words",
    [
        ["agent", "$prompt"],
        ["echo", "${prompt}"],  # a program here, no builtin
        ["python3", "agent.py", "-c", "$prompt"],
        ["timeout", "60", "env", "A=1", "agent", "--file=$prompt_file"],
        ["docker", "run", "image", "agent", "$prompt"],
        ["agent", "it's; | & > $(x) `y` $prompt"],
    ],
)
def test_a_command_without_a_shell_is_accepted(words: list[str]) -> None:
    template = parse_argv(words)
    check_with_shell(template)
    given = template.argv("a b", "/p")
    assert given == [
        w.replace("${prompt}", "a b").replace("$prompt_file", "/p").replace("$prompt", "a b") for w in words
    ]


@pytest.mark.parametrize(
    ("words", "line"),
    [
        ([], 1),
        (["agent", "$prompts"], 1),
        (["$prompt", "a"], 1),
        (["sh", "-c", "$prompt"], 3),
        (["timeout", "5", "bash", "-c", "agent $prompt"], 5),
        (["env", "-S", "agent $prompt"], 2),
        (["env", "X=$prompt", "agent"], 2),
        (["python3", "-c", "$prompt"], 3),
        (["sh", "$prompt_file"], 2),
        (["ssh", "host", "agent $prompt"], 3),
        (["less", "+!$prompt"], 2),
        (["agent", "a\0", "$prompt"], 2),
    ],
)
def test_a_command_without_a_shell_is_refused_where_the_prompt_would_be_code(words: list[str], line: int) -> None:
    with pytest.raises(TemplateError) as caught:
        parse_argv(words)
    assert caught.value.line_number == line


def test_a_word_without_a_shell_has_the_systems_limit() -> None:
    template = parse_argv(["agent", "--text=$prompt"])
    template.argv("x" * (argument_limit() - 7), "/p")
    with pytest.raises(PromptTooLong):
        template.argv("x" * (argument_limit() - 6), "/p")
    parse_argv(["agent", "$prompt_file"]).argv("x" * 1_000_000, "/p")
