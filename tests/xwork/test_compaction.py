"""Shorter conversations: pairs are never parted, failures change nothing, an overflow is answered and not fatal."""

import threading

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xuen.xwork.errors import ModelError
from xuen.xwork.events import Compacted
from xuen.xwork.messages import Assistant, ToolCall, ToolResult, Usage, User
from xuen.xwork.model.openai_compatible import OpenAICompatible
from xuen.xwork.model.retry import Asker
from xuen.xwork.model.scripted import ScriptedAnswer
from xuen.xwork.session.compaction import cut, request
from xuen.xwork.session.ledger import Ledger
from xuen.xwork.session.records import Answered, Carried, Prompted
from xuen.xwork.session.records import Compacted as Shortened
from xuen.xwork.session.summarise import compact


def conversation(batches: list[int]) -> list:
    """Records of a conversation: for each number an answer with so many calls, 0 is a new prompt."""
    records: list = [Prompted(User("first"))]
    for at, size in enumerate(batches):
        if size == 0:
            records += [Answered(Assistant("said")), Prompted(User(f"prompt {at}"))]
            continue
        calls = tuple(ToolCall(f"{at}-{n}", "t", "{}") for n in range(size))
        records.append(Answered(Assistant("x" * 40, calls=calls)))
        records += [Carried(ToolResult(call.id, "t", "y" * 100)) for call in calls]
    return records


def fold(records) -> Ledger:
    ledger = Ledger()
    for record in records:
        ledger.apply(record)
    return ledger


def assert_pairs(view) -> None:
    waiting: list[str] = []
    for message in view:
        if isinstance(message, ToolResult):
            assert waiting and waiting.pop(0) == message.call_id
        else:
            assert not waiting
            waiting = [call.id for call in message.calls] if isinstance(message, Assistant) else []
    assert not waiting


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=15), st.lists(st.integers(0, 900), min_size=1, max_size=5))
def test_chained_compactions_never_part_a_call_from_its_result(batches, keeps):
    ledger = fold(conversation(batches))
    for number, keep in enumerate(keeps):
        at = cut(ledger.view, keep)
        if at is not None:
            ledger.apply(Shortened(f"notes {number}", ledger.first_kept + at - (1 if ledger.summary else 0)))
        assert_pairs(ledger.view)
        for record in conversation([2])[1:]:
            calls = tuple(ToolCall(f"{number}+{call.id}", "t", "{}") for call in getattr(record.message, "calls", ()))
            if calls:
                ledger.apply(Answered(Assistant("z", calls=calls)))
                for call in calls:
                    ledger.apply(Carried(ToolResult(call.id, "t", "r")))
        assert_pairs(ledger.view)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.integers(0, 4), min_size=2, max_size=10), st.integers(0, 900), st.integers(0, 1000))
def test_a_damaged_line_before_a_compaction_parts_no_call_from_its_result(batches, keep, damaged):
    records = conversation(batches)
    at = cut(fold(records).view, keep)
    shortened = [Shortened("notes", at)] if at is not None else []
    del records[damaged % len(records)]
    assert_pairs(fold([*records, *shortened, Prompted(User("next"))]).view)


def test_a_transcript_fits_its_room():
    messages = fold(conversation([3] * 40)).view
    asked = request(messages, 500)
    assert len(asked[1].text) < 4 * 700 and "left out" in asked[1].text
    assert "[Result of t]" in asked[1].text


def long_calls(say, count):
    return [say.calls(("exec_command", {"command": f"echo {n}; seq 1 900"})) for n in range(count)]


def test_a_conversation_under_pressure_is_shortened_and_goes_on(play, say):
    steps = long_calls(say, 6)
    one = play(*steps[:5], "NOTES", *steps[5:], "done", window=6_000, compact_at=0.7, keep=0.3)
    one.agent.run("the task itself")
    told = [event for event in one.events if isinstance(event, Compacted)]
    assert len(told) == 1 and told[0].after < told[0].before
    after = one.model.asked[6]
    assert "NOTES" in after[1].text and "the task itself" in after[1].text
    assert_pairs(after[1:])
    one.agent.close()
    two = play("again")
    two.agent.run("next")
    assert "NOTES" in two.model.asked[0][1].text  # it survived on the disk


def test_an_overflow_is_answered_by_a_shorter_request(play, say):
    overflow = ScriptedAnswer(error="overflow", message="too long")
    one = play(*long_calls(say, 3), overflow, "NOTES", "done")
    assert one.agent.run("go").text == "done"
    assert len(one.model.asked[-1]) < len(one.model.asked[3])


def test_an_overflow_that_nothing_helps_against_ends_the_run_and_not_in_a_loop(play, say):
    overflow = ScriptedAnswer(error="overflow", message="too long")
    one = play(*long_calls(say, 3), overflow, "NOTES", overflow, "NOTES 2", overflow, overflow, overflow)
    with pytest.raises(ModelError):
        one.agent.run("go")
    assert len(one.model.asked) <= 9 and one.agent.session.ledger.interrupted


def test_a_failed_summary_changes_nothing(play, say):
    one = play(*long_calls(say, 3), "done", ScriptedAnswer(error="refused", message="no"))
    one.agent.run("go")
    before = list(one.agent.session.ledger.view)
    size = one.agent.session.path.stat().st_size
    with pytest.raises(ModelError):
        one.agent.compact()
    assert one.agent.session.ledger.view == before and one.agent.session.path.stat().st_size == size


def test_a_model_that_refuses_the_limit_of_its_notes_is_asked_without_one(model_server, say, play):
    refusal = {"error": {"message": "Unsupported parameter: 'max_tokens' is not supported with this model."}}
    notes = {"choices": [{"index": 0, "delta": {"content": "NOTES"}, "finish_reason": "stop"}]}
    model_server.replies = [say.refuse(400, refusal), say.stream(say.sse(notes))]
    one = play(*long_calls(say, 3), "done")
    one.agent.run("go")
    client = OpenAICompatible(model_server.url, "m")
    asker = Asker(client, one.events.append, threading.Event(), language="en")
    compact(one.agent.session, asker, keep=100, window=8_000)
    client.close()
    assert "NOTES" in one.agent.session.ledger.view[0].text
    assert ["max_tokens" in request for request in model_server.requests] == [True, False]


def test_a_conversation_too_short_to_shorten_is_left_alone(play):
    one = play("done")
    one.agent.run("go")
    with pytest.raises(ModelError, match="too short"):
        one.agent.compact()


def test_a_batch_that_is_too_large_by_itself_does_not_ask_for_notes_again_and_again(play, say):
    huge = [("exec_command", {"command": f"echo {n}; seq 1 3000"}) for n in range(3)]
    small = [say.calls(("exec_command", {"command": f"echo {n}"})) for n in range(3)]
    one = play(*small, say.calls(*huge), "NOTES", "done", window=6_000, compact_at=0.7, keep=0.3)
    assert one.agent.run("go " * 400).text == "done"
    assert len([event for event in one.events if isinstance(event, Compacted)]) == 1


def test_shortening_on_request(play, say):
    one = play(*long_calls(say, 3), "done", "NOTES", window=8_000)
    one.agent.run("go")
    one.agent.compact()
    assert one.agent.session.ledger.view[0].text.count("NOTES") == 1
    assert not one.agent.session.ledger.interrupted
    assert one.agent.session.ledger.usage == Usage()
