"""Any words on the command line end in what they say or in one line of misuse, never in a fault of xuen's own.

The value `--` is the one that argparse turned into an empty list (python/cpython#109475).
"""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.cli.commands import COMMANDS, FLAGS, flags_of
from xuen.cli.parser import early_language, parse
from xuen.errors import UsageError

VALUES = ["--", "-", "", "=", "--=", "-1", "\udcff", "x" * 5000, "/", "..", "a\nb", "nan", "9" * 400, "文", "~no/x"]

values = st.one_of(st.sampled_from(VALUES), st.text(max_size=5))
options = st.builds(
    lambda name, joint, value: [f"{name}{joint}{value}"],
    st.sampled_from(sorted(FLAGS)),
    st.sampled_from(["=", ""]),
    values,
)
apart = st.builds(lambda name, value: [name, value], st.sampled_from(sorted(FLAGS)), values)
words = st.one_of(values.map(lambda value: [value]), st.sampled_from(sorted(COMMANDS)).map(str.split))


@given(st.lists(st.one_of(options, apart, words), max_size=6).map(lambda parts: [*chain(*parts)]))
def test_any_words_are_understood_or_refused(argv: list[str]) -> None:
    early_language(argv, {})
    with suppress(UsageError):
        parse(argv, {})


@pytest.mark.parametrize("name", sorted(name for name, flag in FLAGS.items() if flag.metavar))
def test_two_dashes_are_no_value(name: str) -> None:
    command = next(each for each in COMMANDS if FLAGS[name] in flags_of(each))
    for argv in ([f"{name}=--"], [name, "--"], [name]):
        with pytest.raises(UsageError, match="a value is missing"):
            parse([*command.replace("run", "").split(), *argv], {})


@pytest.mark.parametrize("argv", [["--workspace=--"], ["--pick=--"], ["-c--"], ["status", "--workspace", "--"]])
def test_the_program_refuses_two_dashes_in_one_line(xuen: Callable, argv: list[str]) -> None:
    done = xuen(*argv)
    assert (done.returncode, done.stdout, len(done.stderr.splitlines())) == (2, "", 1)
    assert "a value is missing" in done.stderr


@pytest.mark.parametrize(
    "option", ["--prompt-file=--", "--workspace=--", "--approval=--", "--max-turns=--", "--session=/"]
)
def test_xwork_refuses_them_too(tmp_path: Path, environment: Callable, option: str) -> None:
    argv = [sys.executable, "-m", "xuen.xwork", "run", option, "--model", "script:none"]
    argv += [] if option.startswith("--prompt") else ["a task"]
    done = subprocess.run(
        argv, cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
    assert option.partition("=")[0] in done.stderr or "/: " in done.stderr
