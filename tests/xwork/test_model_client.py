"""Pieces of a completion become one answer, however they were cut."""

import itertools
import threading

import msgspec
import pytest

from xuen.stop import Stop
from xuen.xwork.cancel import Cancel
from xuen.xwork.messages import Assistant, Finish, Message, System, ToolCall, ToolResult, Usage, User
from xuen.xwork.model.client import (
    CallDelta,
    Finished,
    ReasoningDelta,
    TextDelta,
    UsageDelta,
    assemble,
)


def test_pieces_join_to_the_same_answer_for_every_cut():
    text, arguments = "Zwei Wörter 词", '{"path": "a b"}'
    whole = assemble([TextDelta(text), CallDelta(0, "c1", "read_file", arguments), Finished(Finish.CALLS)])
    for cut, place in itertools.product(range(len(text) + 1), range(len(arguments) + 1)):
        parts = [
            TextDelta(text[:cut]),
            TextDelta(text[cut:]),
            CallDelta(0, "c1", "read_file", arguments[:place]),
            CallDelta(0, arguments=arguments[place:]),
            Finished(Finish.CALLS),
        ]
        assert assemble(parts) == whole
    assert whole.message.calls == (ToolCall("c1", "read_file", arguments),)


def test_calls_come_in_the_order_of_their_index_and_all_have_an_id():
    answer = assemble([CallDelta(1, name="b"), CallDelta(0, name="a"), Finished(Finish.CALLS)])
    assert [(call.id, call.name) for call in answer.message.calls] == [("call_0", "a"), ("call_1", "b")]


@pytest.mark.parametrize(
    ("pieces", "calls"),
    [
        # Each call whole, all with the index 0.
        ([CallDelta(0, "x", "a", '{"n":1}'), CallDelta(0, "y", "b", "{}")], ['x a {"n":1}', "y b {}"]),
        # … and without ids.
        ([CallDelta(0, "", "a", '{"n":1}'), CallDelta(0, "", "a", '{"n":2}')], [
         'call_0 a {"n":1}', 'call_1 a {"n":2}']),
        # Id and name in every piece of one call.
        ([CallDelta(0, "x", "a", '{"n"'), CallDelta(0, "x", "a", ":1}")], ['x a {"n":1}']),
        ([CallDelta(0, "", "a", '{"n"'), CallDelta(0, "", "a", ":1}")], ['call_0 a {"n":1}']),
        # Interleaved.
        ([CallDelta(0, "x", "a"), CallDelta(1, "y", "b"), CallDelta(0, arguments="{}"), CallDelta(1, arguments="[]")],
         ["x a {}", "y b []"]),
    ],
)  # fmt: skip
def test_calls_are_told_apart_also_where_servers_number_them_alike(pieces, calls):
    answer = assemble([*pieces, Finished(Finish.CALLS)])
    assert [f"{call.id} {call.name} {call.arguments}" for call in answer.message.calls] == calls


def test_an_answer_without_its_end_counts_as_cut_off():
    assert assemble([ReasoningDelta("hm"), TextDelta("so")]).message == Assistant("so", "hm", finish=Finish.LENGTH)


def test_counts_that_nobody_told_stay_unknown():
    usage = assemble([UsageDelta(Usage(input_tokens=7)), UsageDelta(Usage(output_tokens=0))]).usage
    assert usage == Usage(input_tokens=7, output_tokens=0)
    assert usage.cost is None


@pytest.mark.parametrize(
    "message",
    [
        System("s"),
        User("u"),
        Assistant("a", "r", (ToolCall("1", "t", "{"),), Finish.LENGTH, "[]"),
        ToolResult("1", "t", "x", failed=True),
    ],
)
def test_every_message_reads_back_from_its_json(message):
    assert msgspec.json.decode(msgspec.json.encode(message), type=Message) == message


def test_an_event_and_a_stop_both_can_cancel():
    tokens: list[Cancel] = [threading.Event(), Stop()]
    assert [token.wait(0) for token in tokens] == [False, False]
