"""Texts, errors, events, the stop token and the fan-out."""

from __future__ import annotations

import json
import pkgutil
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import get_args, get_type_hints

import pytest

from xuen import events, texts
from xuen.errors import ConfigError
from xuen.sink import FanOut
from xuen.stop import Stop
from xuen.texts import Text, language_of, plain


def test_a_text_is_filled_in_for_both_languages() -> None:
    inner = Text("three", "三")
    text = Text("{n} words", "{n} 个词").of(n=inner)
    assert (text.in_language("en"), text.in_language("zh")) == ("three words", "三 个词")


def messages(value: object) -> Iterator[Text]:
    """The texts that a module's constant holds."""
    if isinstance(value, Text):
        yield value
    elif isinstance(value, Mapping):
        yield from (each for each in value.values() if isinstance(each, Text))


def test_a_sentence_stands_in_one_module_only() -> None:
    places: dict[Text, set[str]] = {}
    for name in [each.name for each in pkgutil.iter_modules(texts.__path__)]:
        for value in vars(import_module(f"xuen.texts.{name}")).values():
            for text in messages(value):
                places.setdefault(text, set()).add(name)
    assert {text: rooms for text, rooms in places.items() if len(rooms) > 1 and len(text.en.split()) > 2} == {}


def test_values_are_never_read_as_formats() -> None:
    assert Text("{a}", "{a}").of(a="{b} {0} {").in_language("en") == "{b} {0} {"


@pytest.mark.parametrize(
    ("task", "language"),
    [("设计一个新的优化器", "zh"), ("Design an optimizer", "en"), ("Ein Café", "en"), ("x → 熵", "zh"), ("", "en")],
)
def test_the_language_follows_the_task(task: str, language: str) -> None:
    assert language_of(task) == language


def test_an_error_is_one_line_with_place_and_mend() -> None:
    error = ConfigError(Text("no\nsuch key", "没有这个键"), where="config.yaml:7: rounds.x", mend=Text("Use y", "用 y"))
    assert error.line("en") == "config.yaml:7: rounds.x: no such key. Use y"
    assert error.line("zh") == "config.yaml:7: rounds.x: 没有这个键。用 y"


EXAMPLES: dict[object, object] = {
    int: 3,
    int | None: None,
    float: 0.5,
    float | None: 7.5,
    str: "text",
    str | None: "text",
    Text: plain("because"),
    Text | None: None,
    tuple[str, ...] | None: ("a",),
    tuple[str, ...]: ("a", "b"),
    tuple[str, str]: ("a", "b"),
    events.Purpose: events.Purpose.JUDGE,
    events.Why: events.Why.FAILED,
}


def an_example(kind: type[events.Event]) -> events.Event:
    types = get_type_hints(kind)
    return kind(**{name: EXAMPLES[hint] if hint in EXAMPLES else get_args(hint)[0] for name, hint in types.items()})


@pytest.mark.parametrize("kind", get_args(events.AnyEvent))
def test_every_event_survives_its_json_form(kind: type[events.Event]) -> None:
    event = an_example(kind)
    assert events.from_json(json.dumps(events.to_dict(event, "en"))) == event


def test_the_names_of_recorded_events_are_those_of_the_history() -> None:
    names = {kind.__struct_config__.tag for kind in events.AnyEvent.__args__}
    assert {
        "baseline",
        "candidate",
        "adopted",
        "rejected",
        "pending",
        "heartbeat",
        "damaged",
        "agent_failed",
        "restored",
        "verdict",
        "recovered",
        "run_started",
        "run_finished",
    } <= names


class Listener:
    def __init__(self, breaks: bool = False) -> None:
        self.heard: list[events.Event] = []
        self.breaks = breaks

    def emit(self, event: events.Event) -> None:
        self.heard.append(event)
        if self.breaks:
            raise OSError("gone")


def test_a_broken_listener_is_dropped_and_the_others_are_told_once() -> None:
    broken, whole = Listener(breaks=True), Listener()
    fan = FanOut([broken, whole])
    event = events.Restored(round=1, id="x")
    fan.emit(event)
    fan.emit(event)
    assert len(broken.heard) == 1
    assert whole.heard.count(event) == 2
    notices = [each for each in whole.heard if isinstance(each, events.Notice)]
    assert len(notices) == 1
    assert "Listener" in notices[0].text.en


def test_listeners_that_break_over_one_event_are_dropped_together_and_the_others_hear_all_in_order() -> None:
    broken, whole, also_broken = Listener(breaks=True), Listener(), Listener(breaks=True)
    fan = FanOut([broken, whole, also_broken])
    event = events.Restored(round=1, id="x")
    fan.emit(event)
    fan.emit(event)
    assert broken.heard == also_broken.heard == [event]
    assert [type(each).__name__ for each in whole.heard] == ["Restored", "Notice", "Notice", "Restored"]


def test_a_listener_that_breaks_over_the_news_of_another_is_told_of_as_well() -> None:
    class OnlyRestored(Listener):
        def emit(self, event: events.Event) -> None:
            self.heard.append(event)
            if isinstance(event, events.Notice):
                raise OSError("gone")

    whole, touchy = Listener(), OnlyRestored()
    fan = FanOut([Listener(breaks=True), touchy, whole])
    fan.emit(events.Restored(round=1, id="x"))
    told = [each.text.en for each in whole.heard if isinstance(each, events.Notice)]
    assert [text.split()[0] for text in told] == ["Listener", "OnlyRestored"]


def test_the_first_stop_decides_the_exit_code_and_the_second_hurries() -> None:
    stop = Stop()
    assert not stop.wait(0)
    stop.request(143)
    assert stop.is_set()
    assert not stop.is_hurried()
    stop.request(130)
    assert stop.exit_code == 143
    assert stop.is_hurried()
