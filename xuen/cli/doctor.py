"""`xuen doctor`: is everything in place for a run? Checks without spending a model call and without making anything.

Exit code 0 when nothing fails, 1 when something does; each row that fails names its mend.
"""

from __future__ import annotations

from collections.abc import Iterable

from xuen.agent.presets import PRESETS, Preset
from xuen.cli import agent_checks, checks
from xuen.cli.finding import Finding, State, failed
from xuen.cli.layout import cells
from xuen.cli.output import Output, Tone
from xuen.cli.parser import Options
from xuen.cli.settings import Settings
from xuen.texts import doctor as texts

_MARKS: dict[State, str] = {"good": "ok", "note": "--", "bad": "!!"}
_TONES: dict[State, Tone] = {"good": "good", "note": "plain", "bad": "bad"}
_WIDTH = 15


def run(options: Options, settings: Settings, output: Output) -> int:  # noqa: ARG001 - as every command
    """Print a row for each check, then the agents that xuen knows.

    A configuration file with a fault is the row that fails, and what depends on the settings is not checked.
    """
    failures = _rows(checks.system(), output)
    if settings.fault is not None:
        failures += _rows([failed(settings.fault)], output)
    else:
        failures += _rows(checks.configuration(settings), output)
        for check in (agent_checks.agent, agent_checks.judge, checks.suite, checks.workspace):
            failures += _rows(check(settings), output)
    _presets(output)
    output.say()
    if failures:
        output.say(texts.SOME_FAIL.of(count=failures), "bad")
        return 1
    output.say(texts.ALL_GOOD, "good")
    return 0


def _rows(findings: Iterable[Finding], output: Output) -> int:
    """Print the findings of one check; how many of them fail."""
    failures = 0
    for each in findings:
        name = each.name.in_language(output.language)
        what = " ".join(each.what.in_language(output.language).split())
        output.say(f"{_MARKS[each.state]}  {name}{' ' * (_WIDTH - cells(name))}{what}", _TONES[each.state])
        if each.state == "bad":
            failures += 1
            if each.mend is not None:
                output.say(texts.MEND.of(mend=each.mend), indent=" " * (_WIDTH + 4))
            if each.may_pass:
                output.say(texts.MAY_PASS, indent=" " * (_WIDTH + 4))
    return failures


def _presets(output: Output) -> None:
    """The table of agents: what is here, and what to write into the configuration to use it."""
    output.say()
    output.say(texts.AGENTS_HEAD, "title")
    for preset in PRESETS.values():
        path = preset.where()
        state: State = "note" if path is None else "good"
        output.say(f"{_MARKS[state]}  {preset.name:<10}{_where(preset, path, output)}", _TONES[state])
        indent = " " * 14
        if path is None:
            output.say(texts.INSTALL.of(command=preset.install), "muted", indent=indent)
        else:
            output.say(preset.advice, "muted", indent=indent)
        output.say(texts.WRITE.of(name=preset.name), "muted", indent=indent)


def _where(preset: Preset, path: str | None, output: Output) -> str:
    if preset.built_in:
        return texts.BUILT_IN.in_language(output.language)
    if path is None:
        return texts.NOT_HERE.in_language(output.language)
    return "  ".join(part for part in (path, preset.version_number()) if part)
