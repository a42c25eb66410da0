"""Sessions on the disk: kills at every checkpoint, torn tails, two writers, text that UTF-8 cannot carry."""

import json
import subprocess
import sys
from collections import Counter

import msgspec
import pytest

from xuen.xwork.errors import BadUse
from xuen.xwork.messages import Assistant, Finish, ToolCall, ToolResult, Usage, User
from xuen.xwork.session.journal import Session, read
from xuen.xwork.session.ledger import LOST, Ledger, State
from xuen.xwork.session.records import Answered, Carried, Compacted, Ended, Prompted, Resumed, whole
from xuen.xwork.session.seal import Seal
from xuen.xwork.tools.outcome import Effect

STEPS = 30


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", ["before", "middle", "after"])
def test_a_session_of_thirty_steps_survives_a_kill_at_every_checkpoint(tmp_path, agents, environment, mode):
    work = tmp_path / "work"
    work.mkdir()
    command = [sys.executable, str(agents / "xwork_killed.py"), str(work), str(STEPS), mode]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    calls = [f"{letter}{number}" for number in range(STEPS) for letter in "ab"]
    assert told["state"] == "finished" and told["prompts"] == 1 and told["invalid"] == 0
    assert told["lives"] > STEPS
    assert told["results"][: len(calls)] == calls  # nothing lost, nothing recorded twice
    # A call is executed once more only when the process died before its result was whole on the disk.
    again = Counter(told["died_recording"]) if mode != "after" else Counter()
    assert Counter(told["effects"]) == {call: 1 + again[call] for call in calls}
    assert mode == "after" or again


def answered(*ids: str, text: str = "") -> Answered:
    calls = tuple(ToolCall(each, "t", "{}") for each in ids)
    return Answered(Assistant(text, calls=calls, finish=Finish.CALLS if ids else Finish.STOP))


def carried(name: str, effect: Effect = Effect.NONE) -> Carried:
    return Carried(ToolResult(name, "t", f"result of {name}"), effect)


def test_what_was_written_is_read_again(tmp_path):
    path = tmp_path / "s.jsonl"
    with Session(path) as session:
        session.append(Prompted(User("q")), answered("a", "b"))
        session.append(carried("a"))
        before = session.ledger
    with Session(path) as again:
        assert again.ledger.messages == before.messages
        assert again.ledger.state is State.TOOLS and [call.id for call in again.ledger.open_calls] == ["b"]
        assert again.ledger.interrupted


@pytest.mark.parametrize("cut", range(1, 60, 7))
def test_a_torn_last_line_costs_that_line_and_the_next_append_is_whole(tmp_path, cut):
    path = tmp_path / "s.jsonl"
    with Session(path) as session:
        session.append(Prompted(User("one")), Answered(Assistant("answer")), Ended("completed"))
    path.write_bytes(path.read_bytes()[:-cut])
    with Session(path) as session:
        assert session.damaged == (0 if cut == 1 else 1)
        session.append(Prompted(User("two")))
    found = read(path, Seal.of(path, None))
    assert (found.damaged, found.foreign) == (0 if cut == 1 else 1, 0)
    assert [r.message.text for r in found.records if isinstance(r, Prompted)] == ["one", "two"]


def test_an_empty_file_is_a_new_session_and_a_strange_one_is_refused(tmp_path):
    path = tmp_path / "s.jsonl"
    path.write_bytes(b"")
    with Session(path) as session:
        assert session.ledger.state is State.NEW
    path.write_bytes(b"dear diary\n")
    with pytest.raises(BadUse):
        Session(path)
    assert path.read_bytes() == b"dear diary\n"
    path.write_bytes(b'{"kind":"session","version":99,"workspace":"","created":""}\n')
    with pytest.raises(BadUse):
        Session(path)


def test_a_second_writer_is_refused_and_a_dead_one_does_not_block(tmp_path, environment):
    path = tmp_path / "s.jsonl"
    with Session(path), pytest.raises(BadUse, match="another process"):
        Session(path)
    code = (
        "import os; from pathlib import Path; from xuen.xwork.session.journal import Session; "
        f"s = Session(Path({str(path)!r})); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code], env=environment(), check=False)
    Session(path).close()


def test_half_a_surrogate_pair_goes_to_the_disk_and_back(tmp_path):
    assert whole("a\ud800b\udc00") == "a\ufffdb\ufffd"
    assert whole("\ud83d\ude00") == "\U0001f600"
    path = tmp_path / "s.jsonl"
    with Session(path) as session:
        session.append(Prompted(User(whole(json.loads('"\\ud800"')))))
    with Session(path) as session:
        assert session.ledger.view == [User("\ufffd")]


def fold(*records) -> Ledger:
    ledger = Ledger()
    for record in records:
        ledger.apply(record)
    return ledger


def test_a_result_that_was_lost_is_stood_in_for_and_an_orphan_is_passed_over():
    ledger = fold(Prompted(User("q")), answered("a", "b"), carried("a"), carried("zz"), answered("c"), carried("c"))
    assert [getattr(m, "call_id", None) for m in ledger.view] == [None, None, "a", "b", None, "c"]
    assert ledger.view[3] == ToolResult("b", "t", LOST, failed=True)


def test_whether_a_check_is_due():
    write, check = carried("a", Effect.WRITE), carried("b", Effect.CHECK)
    start = (Prompted(User("q")), answered("a"))
    assert fold(*start, write).unchecked
    assert not fold(*start, write, answered("b"), check).unchecked
    assert fold(*start, write, answered("b"), check, Resumed()).unchecked
    assert not fold(Prompted(User("q")), Resumed()).unchecked
    assert fold(*start, Resumed()).unchecked


def test_unknown_costs_stay_unknown_and_tokens_are_counted_from_what_the_server_said():
    ledger = fold(Prompted(User("x" * 400)))
    assert ledger.usage == Usage() and 100 <= ledger.tokens <= 120
    ledger.apply(Answered(Assistant("y"), Usage(input_tokens=1000, output_tokens=5)))
    assert ledger.tokens == 1005 and ledger.usage.cost is None and ledger.usage.input_tokens == 1000
    ledger.apply(Prompted(User("z" * 40)))
    assert 1010 <= ledger.tokens <= 1030
    ledger.apply(Compacted("short", 2))
    assert ledger.tokens < 60 and ledger.view == [User("short"), User("z" * 40)]


def test_what_only_some_answers_cost_is_summed_and_the_others_are_counted():
    told = Usage(input_tokens=1000, output_tokens=5, cost=0.25)
    ledger = fold(Prompted(User("x")), Answered(Assistant("y"), told), Prompted(User("z")), Answered(Assistant("y")))
    assert (ledger.usage, ledger.uncounted) == (told, 1)
    ledger.apply(Compacted("short", 2, Usage(input_tokens=10, output_tokens=1, cached_tokens=4)))
    assert ledger.usage == Usage(input_tokens=1010, output_tokens=6, cached_tokens=4, cost=0.25)
    assert Usage(input_tokens=3).plus(Usage(input_tokens=4, output_tokens=5)) == Usage(input_tokens=7)


def test_records_have_one_json_form():
    from xuen.xwork.session.records import decode, encode

    for record in (Prompted(User("q")), answered("a"), carried("a", Effect.WRITE), Compacted("s", 3), Resumed()):
        assert decode(encode(record)) == record
        assert "kind" in msgspec.json.decode(encode(record))
