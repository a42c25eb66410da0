"""Reading the configuration file: each fault with its place, each value by what its key expects."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from xuen.config.load import Loaded, find_config, load
from xuen.config.model import AgentSettings, Config, RoundsSettings
from xuen.config.overrides import apply_overrides, read_override
from xuen.errors import ConfigError, UsageError


def read(folder: Path, text: str | bytes, monkeypatch: pytest.MonkeyPatch | None = None) -> Loaded:
    path = folder / "config.yaml"
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return load(path)


def fault(folder: Path, text: str | bytes) -> str:
    with pytest.raises(ConfigError) as caught:
        read(folder, text)
    line = caught.value.line("en")
    assert "\n" not in line and "Traceback" not in line
    assert caught.value.line("zh")
    return line.replace(str(folder) + os.sep, "")


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("rounds: {verify: off}", "rounds.verify", "off"),
        ("loop: {iterations: inf}", "loop.iterations", "inf"),
        ("loop: {iterations: .inf}", "loop.iterations", "inf"),
        ("loop: {iterations: 'inf'}", "loop.iterations", "inf"),
        ("loop: {iterations: 12}", "loop.iterations", 12),
        *[(f"rounds: {{enabled: {word}}}", "rounds.enabled", True) for word in ("yes", "on", "true", "True", "ON")],
        *[(f"rounds: {{enabled: {word}}}", "rounds.enabled", False) for word in ("no", "off", "false", "FALSE")],
        ("agent: {timeout: 90}", "agent.timeout", 90.0),
        ("agent: {timeout: 0}", "agent.timeout", 0.0),
        ("agent: {timeout: 1.5e2}", "agent.timeout", 150.0),
        ("rounds: {adopt_score: 10}", "rounds.adopt_score", 10.0),
        ("xwork: {model: 3.5}", "xwork.model", "3.5"),
        ("xwork: {model: no}", "xwork.model", "no"),
        ("xwork: {model: 1e3}", "xwork.model", "1e3"),
        ("xwork: {model: 2026-11-30}", "xwork.model", "2026-11-30"),
        ("agent: {env: {A: yes, B: 010, C: , 'D E': '1'}}", "agent.env", {"A": "yes", "B": "010", "C": "", "D E": "1"}),
        ("extra_notes: |\n  one\n  two\n", "extra_notes", "one\ntwo\n"),
        ("language: zh", "language", "zh"),
        ("agent: {command: !!str run}", "agent.command", "run"),
        ("agent: {argv: [run, 3, true, '', ~]}", "agent.argv", ("run", "3", "true", "", "~")),
        ("agent:\r\n  preset: claude\r\n", "agent.preset", "claude"),
    ],
)
def test_a_scalar_means_what_its_key_expects(tmp_path: Path, text: str, key: str, value: object) -> None:
    found: object = read(tmp_path, text).config
    for name in key.split("."):
        found = getattr(found, name)
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment\n",
        "---\n...\n",
        "rounds:\n",
        "rounds: ~\nagent: {}\n",
        "rounds:\n  judge_command:\n  repo: ''\n  verify: null\nagent:\n  timeout:\n  env:\nworkspace:\n",
        b"\xef\xbb\xbfwords:\n  pick: 3\n",
    ],
)
def test_nothing_after_a_key_means_its_default(tmp_path: Path, text: str | bytes) -> None:
    assert read(tmp_path, text).config == Config()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "agent:\n  timeout: 10:30\n",
            "config.yaml:2: agent.timeout: expected a number from 0 to 1000000000, found 10:30. "
            "Write seconds as one plain number, such as 630",
        ),
        (
            "words:\n\n  pick: 010\n",
            "config.yaml:3: words.pick: expected a whole number, 0 or more, found 010. Write it as 10",
        ),
        (
            "words: {pick: 1_000}",
            "config.yaml:1: words.pick: expected a whole number, 0 or more, found 1_000. Write it as 1000",
        ),
        ("words: {pick: 1e3}", "config.yaml:1: words.pick: expected a whole number, 0 or more, found 1e3"),
        ("words: {pick: -1}", "config.yaml:1: words.pick: expected a whole number, 0 or more, found -1"),
        ("words: {pick: 2.0}", "config.yaml:1: words.pick: expected a whole number, 0 or more, found 2.0"),
        (
            "words: {pick: '3'}",
            'config.yaml:1: words.pick: expected a whole number, 0 or more, found the text "3". '
            "Write it without quotes",
        ),
        ("words: {reuse: 1}", "config.yaml:1: words.reuse: expected true or false, found 1"),
        (
            "loop: {iterations: 0}",
            "config.yaml:1: loop.iterations: expected a whole number, 1 or more, or inf, found 0",
        ),
        ("rounds: {adopt_score: 11}", "config.yaml:1: rounds.adopt_score: expected a number from 0 to 10, found 11"),
        (
            "rounds: {adopt_score: .nan}",
            "config.yaml:1: rounds.adopt_score: expected a number from 0 to 10, found .nan",
        ),
        (
            "rounds:\n  verify: test\n",
            "config.yaml:2: rounds.verify: expected one of ai, auto, off, tests, user, found test. Did you mean tests?",
        ),
        ("language: de", "config.yaml:1: language: expected one of auto, en, zh, found de"),
        (
            "agent:\n  command: [a, b]\n",
            "config.yaml:2: agent.command: expected text, found a list. Put the whole text in one pair of quotes",
        ),
        (
            "agent: {command: {a: b}}",
            "config.yaml:1: agent.command: expected text, found a mapping. Put the whole text in one pair of quotes",
        ),
        (
            "agent: {argv: run $prompt}",
            'config.yaml:1: agent.argv: expected a list of texts, found the text "run $prompt". '
            "Write its words in brackets: [first, second]",
        ),
        (
            "agent:\n  argv:\n    - run\n    - {a: b}\n",
            "config.yaml:4: agent.argv: expected a list of texts, found a mapping. "
            "Write its words in brackets: [first, second]",
        ),
        ("agent: {timeout: [1]}", "config.yaml:1: agent.timeout: expected a number from 0 to 1000000000, found a list"),
        (
            "agent: opencode run\n",
            'config.yaml:1: agent: expected a section with keys under it, found the text "opencode run". '
            "Write its keys indented on the lines below it",
        ),
        (
            "agent: {env: [A=1]}",
            "config.yaml:1: agent.env: expected a mapping of names to texts, found a list. "
            "Write its keys indented on the lines below it",
        ),
        ("agent: {env: {A: [1]}}", "config.yaml:1: agent.env.A: expected text, found a list"),
        ("agent: {env: {'A=B': 1}}", "config.yaml:1: agent.env.A=B: not a name that an environment variable can have"),
        ('workspace: "a\\0b"', "config.yaml:1: workspace: the text holds a NUL or half of a surrogate pair"),
        ('workspace: "a\\ud800b"', "config.yaml:1: workspace: the text holds a NUL or half of a surrogate pair"),
    ],
)
def test_a_wrong_value_is_named_with_its_place_and_its_mend(tmp_path: Path, text: str, line: str) -> None:
    assert fault(tmp_path, text) == line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            "rounds:\n  adopt_scor: 7\n",
            "config.yaml:2: rounds.adopt_scor: unknown key. Did you mean rounds.adopt_score?",
        ),
        ("timeout: 30\n", "config.yaml:1: timeout: unknown key. Did you mean agent.timeout?"),
        ("roundss:\n", "config.yaml:1: roundss: unknown key. Did you mean rounds?"),
        ("agent: {max-failures: 3}", "config.yaml:1: agent.max-failures: unknown key. Did you mean loop.max_failures?"),
        ("loop:\n  zzz: 1\n", "config.yaml:2: loop.zzz: unknown key. Valid here: iterations, max_failures"),
        ("on:\n  push\n", "config.yaml:1: on: unknown key. "),
        ("off: 1\n", "config.yaml:1: off: unknown key. "),
        ("rounds: {Yes: 1}\n", "config.yaml:1: rounds.Yes: unknown key. "),
        ("'<<': {}\n", "config.yaml:1: <<: unknown key. "),
        (
            "loop:\n  iterations: 1\n  iterations: 2\n",
            "config.yaml:3: loop.iterations: this key was given before, in line 2. Remove one",
        ),
        ("agent:\n  env:\n    A: 1\n    A: 2\n", "config.yaml:4: agent.env.A: this key was given before, in line 3. "),
        ("? [a]\n: b\n", "config.yaml:1: a key must be plain text. "),
        ("a: !!python/object/apply:os.system [id]\n", "config.yaml:1: a: unknown key. "),
        (
            "workspace: !!python/name:os.system x\n",
            "config.yaml:1: workspace: the tag python/name:os.system has no meaning here. ",
        ),
        ("words: {pick: !!int '3'}\n", "config.yaml:1: words.pick: the tag int has no meaning here. "),
        ("agent: !x {preset: a}\n", "config.yaml:1: agent: the tag !x has no meaning here. "),
    ],
)
def test_a_wrong_key_is_named_in_its_own_spelling(tmp_path: Path, text: str, line: str) -> None:
    assert fault(tmp_path, text).startswith(line)


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("loop:\n\titerations: 3\n", "config.yaml:2: this is not valid YAML: "),
        ("loop:\n  iterations:\t3\n", "config.yaml:2: this is not valid YAML: "),
        ("a: b: c\n", "config.yaml:1: this is not valid YAML: "),
        ("agent: {preset: x\n", "config.yaml:2: this is not valid YAML: "),
        ("agent: *nowhere\n", "config.yaml:1: this is not valid YAML: "),
        ("workspace: a\n---\nworkspace: b\n", "config.yaml:2: this is not valid YAML: "),
        ("workspace: a\u2028b\nloop: x: y\n", "config.yaml:2: "),
        ("workspace: a\nextra_notes: \x07\n", "config.yaml:2: this is not valid YAML: a control character (U+0007)"),
        ("- a\n- b\n", "config.yaml:1: the file must hold keys and their values, found a list; "),
        ("just text\n", 'config.yaml:1: the file must hold keys and their values, found the text "just text"; '),
        (b"workspace: a\nextra_notes: \xff\n", "config.yaml:2: the file is not UTF-8. "),
        ("agent: {command: x}".encode("utf-16"), "config.yaml:1: the file is not UTF-8. "),
        ("agent: " + "[" * 20_000, "config.yaml: the file is nested too deeply"),
        ("x" * (1 << 20) + "y", "config.yaml: a configuration file of more than 1048576 bytes is not read"),
        ("agent: &a\n  env:\n    <<: *a\n", "config.yaml:2: agent.env.env: expected text, found a mapping"),
        ("agent: {env: &e {<<: *e}}\n", "config.yaml:1: agent.env.<<: '<<' must name a mapping"),
    ],
)
def test_a_file_that_is_no_configuration_says_so_in_one_line(tmp_path: Path, text: str | bytes, start: str) -> None:
    assert fault(tmp_path, text).startswith(start)


def test_an_unreadable_file_is_named_with_the_reason(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read the configuration file: No such file"):
        load(tmp_path / "missing.yaml")
    with pytest.raises(ConfigError, match="cannot read the configuration file: Is a directory"):
        load(tmp_path)
    with pytest.raises(ConfigError, match="cannot read the configuration file"):
        load(tmp_path / "a\0b")


def test_anchors_aliases_and_merge_keys_work(tmp_path: Path) -> None:
    text = "agent:\n  command: &c 'run \"$prompt\"'\n  env: &e {A: 1, B: 2}\nrounds:\n  judge_command: *c\n"
    config = read(tmp_path, text).config
    assert config.rounds.judge_command == config.agent.command == 'run "$prompt"'
    merged = "agent:\n  env:\n    <<: [{A: x, B: y}, {A: z, C: w}]\n    B: own\n"
    assert read(tmp_path, merged).config.agent.env == {"A": "x", "B": "own", "C": "w"}


def test_the_first_of_the_three_names_is_found(tmp_path: Path) -> None:
    assert find_config(None, tmp_path) is None
    for name in ("xuen.yaml", "config.yml", "config.yaml"):
        (tmp_path / name).touch()
        assert find_config(None, tmp_path) == tmp_path / name
    assert find_config(Path("other.yaml"), tmp_path) == Path("other.yaml")


def test_a_dangling_link_is_not_taken_for_no_file(tmp_path: Path) -> None:
    (tmp_path / "config.yaml").symlink_to(tmp_path / "gone")
    found = find_config(None, tmp_path)
    assert found is not None
    with pytest.raises(ConfigError):
        load(found)


def test_relative_paths_are_relative_to_the_folder_of_the_file(tmp_path: Path) -> None:
    config = read(tmp_path, "workspace: w\nrounds: {repo: ../r}\n").config
    assert (config.workspace, config.rounds.repo) == (str(tmp_path / "w"), str(tmp_path / "../r"))
    config = read(tmp_path, "workspace: /w\nrounds: {repo: ~/r}\n").config
    assert (config.workspace, config.rounds.repo) == ("/w", str(Path.home() / "r"))
    assert read(tmp_path, "loop: {iterations: 1}\n").config.workspace == "workspace"


PLACES = """\
agent:
  command: "first $prompt"
rounds:
  judge_command: |

    cheap \\
      "$prompt"
  repo:
    /somewhere
extra_notes: >-
  folded
  text
xwork:
  model: "two
    lines"
"""


@pytest.mark.parametrize(
    ("key", "line", "column", "expected"),
    [
        ("agent.command", 1, 1, "config.yaml:2: agent.command"),
        ("agent.command", 1, 7, "config.yaml:2: agent.command (1:7)"),
        ("rounds.judge_command", 1, 1, "config.yaml:4: rounds.judge_command"),
        ("rounds.judge_command", 3, 4, "config.yaml:7: rounds.judge_command (3:4)"),
        ("rounds.repo", 1, 2, "config.yaml:9: rounds.repo (1:2)"),
        ("extra_notes", 1, 3, "config.yaml:11: extra_notes (1:3)"),
        ("xwork.model", 1, 6, "config.yaml:14: xwork.model (1:6)"),
        ("rounds", 1, 1, "config.yaml:3: rounds"),
        ("agent.preset", 1, 1, "config.yaml: agent.preset"),
    ],
)
def test_a_place_in_a_value_leads_to_the_line_of_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, key: str, line: int, column: int, expected: str
) -> None:
    monkeypatch.chdir(tmp_path)
    assert read(tmp_path, PLACES).where(key, line, column) == expected


def test_options_go_before_the_file(tmp_path: Path) -> None:
    config = read(tmp_path, "rounds: {adopt_score: 6, verify: ai}\nagent: {command: x}\n").config
    changed = apply_overrides(
        config,
        [
            read_override("rounds.adopt_score", "--rounds-score", "8.5"),
            read_override("rounds.verify", "--rounds-verify", "off"),
            read_override("loop.iterations", "--iterations", "inf"),
            read_override("workspace", "--workspace", "elsewhere"),
        ],
    )
    assert changed.rounds == RoundsSettings(adopt_score=8.5, verify="off")
    assert (changed.loop.iterations, changed.workspace) == ("inf", "elsewhere")
    assert changed.agent == AgentSettings(command="x")


@pytest.mark.parametrize(
    ("key", "option", "text", "line"),
    [
        ("loop.iterations", "--iterations", "0", "--iterations: expected a whole number, 1 or more, or inf, found 0"),
        ("words.pick", "--pick", "010", "--pick: expected a whole number, 0 or more, found 010. Write it as 10"),
        ("rounds.adopt_score", "--rounds-score", "10.5", "--rounds-score: expected a number from 0 to 10, found 10.5"),
        ("workspace", "--workspace", " ", "--workspace: an empty value. Give it a value, or leave the option out"),
    ],
)
def test_a_wrong_option_is_named(key: str, option: str, text: str, line: str) -> None:
    with pytest.raises(UsageError) as caught:
        read_override(key, option, text)
    assert caught.value.line("en") == line
