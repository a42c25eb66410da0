"""Whatever stands in the file: settings come out, or one line that names the file."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from xuen.config.load import load
from xuen.config.model import Config
from xuen.config.values import KINDS
from xuen.errors import ConfigError

EXAMPLE = (Path(__file__).parents[2] / "config.example.yaml").read_bytes()

scalars = st.one_of(
    st.sampled_from(
        ["", "~", "on", "010", "1_000", "10:30", ".inf", ".nan", "-1", "1e9", "[a]", "{a: b}", "|\n  x", "*a"]
    ),
    st.text(max_size=12),
    st.integers().map(str),
    st.floats().map(str),
)


def check(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "config.yaml"
        path.write_bytes(data)
        try:
            config = load(path).config
        except ConfigError as error:
            for line in (error.line("en"), error.line("zh")):
                assert line.startswith(str(path))
                assert len(line.splitlines()) == 1
            return
        assert msgspec.convert(msgspec.to_builtins(config), Config) == config


@given(st.binary(max_size=200))
def test_any_bytes(data: bytes) -> None:
    check(data)


@given(st.text(alphabet="abc:-#&*<{}[]!|>'\"%@`,? \n\t01~", max_size=80))
def test_any_text_of_yaml_signs(text: str) -> None:
    check(text.encode())


@given(st.sampled_from([key for key, kinds in KINDS.items() if kinds]), scalars)
def test_any_value_of_any_key(key: str, value: str) -> None:
    section, _, name = key.rpartition(".")
    text = f"{section}:\n  {name}: {value}\n" if section else f"{name}: {value}\n"
    check(text.encode("utf-8", "replace"))


@settings(max_examples=60)
@given(st.integers(0, len(EXAMPLE)), st.integers(0, 40), st.binary(max_size=4))
def test_the_example_with_a_piece_torn_out(place: int, length: int, put: bytes) -> None:
    check(EXAMPLE[:place] + put + EXAMPLE[place + length :])
