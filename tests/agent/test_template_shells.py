"""Templates and prompts found by chance, delivered by real shells byte for byte."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xuen.agent.shell.lexer import PLACEHOLDER
from xuen.agent.template import clean_prompt, parse
from xuen.errors import TemplateError

BENCH = Path(__file__).parents[2] / "bench" / "templates.py"
PIECES = [
    *"'\"\\$`!\n#~*?{}<>|&;() \t=[]%-^@,.:",
    "$prompt", '"$prompt"', "'$prompt'", "${prompt}", "$prompt_file", "agent ", "$(", "${x:-", "$((", "))",
    "<<E\n", "\nE\n", "do ",
    "done", "if ", "find -exec ", "\\; ", "ssh h ", "xargs ", "set -- ", '"$@" ', "trap ", "env ", "< ", "| ", "sh ",
    "cat ", "exec ", "3", "&",
    "then ", "fi", "case ", " in ", "esac", "for x in ", "eval ", "sh -c ", "x=", "f() ", "\\\n", "字",
]  # fmt: skip

pytestmark = pytest.mark.needs("dash", "bash", "busybox")


def load() -> ModuleType:
    """The measurement, as a module."""
    name = "bench_templates"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, BENCH)
        assert spec is not None
        assert spec.loader is not None
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


@given(
    seed=st.integers(0, 10**9),
    prompt=st.text(st.sampled_from("'\"\\$`!\n#~*?{}<>|&;() \t中=[]%-canary") | st.characters()),
)
@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_any_template_and_any_prompt_arrive_whole_in_every_shell(seed: int, prompt: str) -> None:
    bench = load()
    made = bench.Maker(seed).make()
    prompt = clean_prompt(f"Task: {prompt}")
    with tempfile.TemporaryDirectory() as folder:
        tried = bench.Bench(Path(folder).resolve())
        expected = bench.judged(tried, made)
        template = bench.checked(made.source)
        assert isinstance(template, str) == (expected is None), template
        if expected is None:
            return
        figures = bench.Figures()
        for shell in bench.GATED:
            bench.deliver_truly(tried, shell, template, prompt, expected, figures)
        assert not tried.executed()
        assert figures.inexact == []


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join))
@settings(max_examples=300, deadline=None)
def test_any_text_is_accepted_or_refused_with_its_place(source: str) -> None:
    try:
        template = parse(source)
    except TemplateError as error:
        lines = source.split("\n")
        assert 1 <= error.line_number <= len(lines)
        assert 1 <= error.column <= len(lines[error.line_number - 1]) + 1
        assert error.line("en")
        assert error.line("zh")
        return
    assert parse(template.script).script == template.script
    assert len(PLACEHOLDER.findall(template.script)) == len(PLACEHOLDER.findall(source))
    assert (
        template.script.replace('"', "").replace("'", "") == source.replace('"', "").replace("'", "") or "字" in source
    )


def test_the_measurement_meets_its_targets_in_its_short_form() -> None:
    done = subprocess.run(
        [sys.executable, str(BENCH), "--short"], capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "executions of something in a prompt: 0" in done.stdout
    assert "deliveries not byte-exact: 0" in done.stdout
