"""The whole agent with a scripted model, real files, a real shell."""

import threading
import time

import pytest

from xuen.xwork.agent import SessionWaits, Stopped
from xuen.xwork.errors import BadUse, Interrupted, ModelError
from xuen.xwork.events import Completed, ToolEnded
from xuen.xwork.messages import Assistant, Finish, ToolResult, User
from xuen.xwork.model.scripted import ScriptedAnswer

CHECK = ("exec_command", {"command": "true"})


def roles(play) -> list[str]:
    return [type(message).__name__ for message in play.agent.session.ledger.messages]


def test_calls_of_one_answer_are_carried_out_in_order_and_their_results_go_back(play, say, work):
    writes = [("write_file", {"path": "a.txt", "content": f"{n}\n", "mode": "append"}) for n in range(3)]
    one = play(say.calls(*writes, CHECK), "done")
    result = one.agent.run("write")
    assert result.text == "done"
    assert (work / "a.txt").read_text() == "0\n1\n2\n"
    second = one.model.asked[1]
    assert [type(message).__name__ for message in second] == ["System", "User", "Assistant"] + ["ToolResult"] * 4
    assert [message.call_id for message in second[3:]] == [call.id for call in second[2].calls]
    assert [event.failed for event in one.events if isinstance(event, ToolEnded)] == [False] * 4
    assert isinstance(one.events[-1], Completed)


def test_malformed_arguments_are_answered_and_leave_a_history_that_any_server_takes(play, say):
    one = play(say.calls(("read_file", '{"path": "a'), ("read_file", "[1]"), ("read_file", {"file": "a"})), "sorry")
    one.agent.run("go")
    texts = one.results()
    assert "one JSON object" in texts[0] and "one JSON object" in texts[1]
    assert "file" in texts[2] and "path, offset, limit" in texts[2]
    import json

    assistant = one.model.asked[1][2]
    assert all(isinstance(json.loads(call.arguments), dict) for call in assistant.calls)


def test_an_unknown_tool_and_half_a_surrogate_pair_do_not_end_a_run(play, say):
    first = say.calls(("no_such", {}), ("write_file", '{"path": "x", "content": "\\ud800"}'))
    one = play(first, ScriptedAnswer(text="half \ud83d"))
    assert one.agent.run("half \udc00 of a pair").text == "half \ufffd"
    assert "there is no tool 'no_such'" in one.results()[0]
    assert one.results()[1].startswith("wrong arguments") or "JSON" in one.results()[1]


def test_calls_of_an_answer_that_was_cut_off_are_not_carried_out(play, say, work):
    one = play(say.calls(("write_file", {"path": "a", "content": "x"}), finish=Finish.LENGTH), "ok")
    one.agent.run("go")
    assert not (work / "a").exists()
    assert "cut off" in one.results()[0]


def test_repeated_ids_become_unique(play, say):
    from xuen.xwork.model.scripted import ScriptedCall

    same = ScriptedAnswer(calls=(ScriptedCall(name="list", id="a"), ScriptedCall(name="list", id="a")))
    one = play(same, same, "end")
    one.agent.run("go")
    ids = [message.call_id for message in one.agent.session.ledger.messages if isinstance(message, ToolResult)]
    assert len(set(ids)) == 4 and ids[0] == "a"


def test_names_that_a_server_would_not_take_back_are_kept_as_ones_that_it_does(play, say):
    one = play(say.calls(("functions.exec command<|x|>", {}), ("", {}), ("n" * 99, {})), "ok")
    one.agent.run("go")
    names = [call.name for call in one.model.asked[1][2].calls]
    assert names == ["functions_exec_command__x__", "unnamed", "n" * 64]
    assert "there is no tool 'functions_exec_command__x__'" in one.results()[0]


def test_the_gate_wants_a_successful_command_after_the_last_write(play, say):
    write = say.calls(("write_file", {"path": "a", "content": "x"}))
    one = play(write, "done?", say.calls(("exec_command", {"command": "false"})), "done??", say.calls(CHECK), "done!")
    assert one.agent.run("go").text == "done!"
    assert roles(one).count("User") == 3  # the prompt and two reminders


def test_the_gate_gives_up_after_its_reminders(play, say):
    one = play(say.calls(("write_file", {"path": "a", "content": "x"})), "d1", "d2", "d3", "d4", reminders=3)
    with pytest.raises(Stopped):
        one.agent.run("go")
    assert not one.agent.session.ledger.interrupted


def test_the_gate_can_be_switched_off(play, say):
    one = play(say.calls(("write_file", {"path": "a", "content": "x"})), "done", check_after_write=False)
    assert one.agent.run("go").text == "done"


def test_the_same_calls_with_the_same_results_end_a_run(play, say):
    again = say.calls(("exec_command", {"command": "echo hi"}))
    one = play(*[again] * 9, max_repeats=5)
    with pytest.raises(Stopped):
        one.agent.run("go")
    assert len(one.model.asked) == 5


@pytest.mark.parametrize(
    "call",
    [
        ("exec_command", {"command": "seq 60000"}),
        ("search_text", {"query": "needle", "limit": 500}),
    ],
)
def test_the_same_long_results_are_the_same_though_each_is_kept_in_a_file_of_its_own(play, say, work, call):
    (work / "f").write_text(f"needle {'x' * 200}\n" * 200)
    one = play(*[say.calls(call)] * 9, max_repeats=5)
    with pytest.raises(Stopped):
        one.agent.run("go")
    assert len(one.model.asked) == 5 and len(list((work / ".xwork/artifacts").iterdir())) == 5


def test_a_cycle_of_two_calls_ends_a_run_too(play, say):
    a, b = say.calls(("exec_command", {"command": "echo a"})), say.calls(("exec_command", {"command": "echo b"}))
    one = play(*[a, b] * 9, max_repeats=3)
    with pytest.raises(Stopped):
        one.agent.run("go")
    assert len(one.model.asked) == 6


def test_the_same_call_with_new_results_is_work(play, say):
    again = say.calls(("exec_command", {"command": "echo x >> log; wc -l < log"}))
    assert play(*[again] * 9, "done", max_repeats=3).agent.run("go").text == "done"


def test_polling_is_never_called_stuck(play, say):
    start = say.calls(("start_process", {"command": "sleep 60"}))
    poll = say.calls(("poll_process", {"process_id": "p1", "wait_ms": 0}))
    stop = say.calls(("stop_process", {"process_id": "p1"}))
    assert play(start, *[poll] * 12, stop, "done", max_repeats=3).agent.run("go").text == "done"


def test_failures_in_a_row_end_a_run(play, say):
    bad = [say.calls(("read_file", {"path": f"missing{n}"})) for n in range(9)]
    one = play(*bad, max_failures=4)
    with pytest.raises(Stopped):
        one.agent.run("go")
    assert len(one.model.asked) == 4


def test_a_limit_of_turns_ends_a_run_and_the_next_prompt_goes_on(play, say):
    one = play(say.calls(CHECK), say.calls(CHECK), "more", max_turns=2)
    with pytest.raises(Stopped):
        one.agent.run("go")
    assert one.agent.run("go on").text == "more"


def test_a_finished_session_goes_on_with_the_next_prompt(play, work):
    one = play("first")
    one.agent.run("one")
    one.agent.close()
    two = play("second")
    assert two.agent.run("two").text == "second"
    assert [m.text for m in two.model.asked[0][1:]] == ["one", "first", "two"]


def test_a_failed_model_leaves_work_that_only_resume_takes_up(play):
    one = play(ScriptedAnswer(error="access", message="no"))
    with pytest.raises(ModelError):
        one.agent.run("one")
    one.agent.close()
    two = play("answer")
    with pytest.raises(SessionWaits) as waits:
        two.agent.run("another")
    assert waits.value.exit_code == 3
    assert two.agent.resume().text == "answer"
    assert [type(m) for m in two.agent.session.ledger.messages] == [User, Assistant]
    with pytest.raises(BadUse):
        two.agent.resume()


def test_cancelling_ends_a_running_command_at_once_and_the_call_waits_for_resume(play, say, work):
    cancel = threading.Event()
    one = play(say.calls(("exec_command", {"command": "touch began; sleep 60 & sleep 60"})), cancel=cancel)

    def stop_it() -> None:
        while not (work / "began").exists():
            time.sleep(0.01)
        cancel.set()

    threading.Thread(target=stop_it).start()
    began = time.monotonic()
    with pytest.raises(Interrupted):
        one.agent.run("go")
    assert time.monotonic() - began < 20
    assert len(one.agent.session.ledger.open_calls) == 1
    one.agent.close()
    (work / "began").unlink()
    two = play("never mind")
    command = two.agent.session.ledger.open_calls[0]
    assert command.name == "exec_command"


def test_two_agents_cannot_work_on_one_session(play):
    play("a")
    with pytest.raises(BadUse):
        play("b")


def test_the_library_is_loaded_when_it_is_named():
    import subprocess
    import sys

    code = "import sys, xuen.xwork; assert 'msgspec' not in sys.modules; from xuen.xwork import Agent, AgentConfig"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    names = ("httpx", "psutil", "textual", "hashlib", "random", "subprocess")
    heavy = f"[m for m in {names} if m in sys.modules]"
    code = f"import sys; from xuen.xwork import Agent; print({heavy})"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.strip() == "[]"


def test_the_workspaces_own_notes_are_part_of_what_the_model_is_told(play, work):
    (work / "AGENTS.md").write_text("Use tabs.\n")
    one = play("ok", approval="read-only", instructions="Be brief.")
    one.agent.run("go")
    told = one.model.asked[0][0].text
    assert "Use tabs." in told and "Be brief." in told and str(work) in told


def test_notes_that_lead_out_of_the_workspace_are_not_read(play, work, tmp_path):
    (tmp_path / "secret").write_text("secret")
    (work / "AGENTS.md").symlink_to(tmp_path / "secret")
    one = play("ok")
    one.agent.run("go")
    assert "secret" not in one.model.asked[0][0].text


def test_long_notes_are_read_up_to_a_bound_that_is_said(play, work):
    (work / "AGENTS.md").write_text("Use tabs.\n" * 10_000)
    one = play("ok")
    one.agent.run("go")
    told = one.model.asked[0][0].text
    assert "Use tabs." in told and "the rest of AGENTS.md is left out here" in told
    assert len(told) < 40_000


def test_what_the_host_hands_in_stays_the_hosts(tmp_path):
    from xuen.xwork import Agent, AgentConfig
    from xuen.xwork.model.scripted import ScriptedModel
    from xuen.xwork.session.journal import Session

    (tmp_path / "work").mkdir()
    with Session(tmp_path / "mine.jsonl") as session:
        for answer in ("one", "two"):
            config = AgentConfig(workspace=tmp_path / "work")
            with Agent(config, client=ScriptedModel([answer]), session=session) as agent:
                assert agent.run("go").text == answer
        assert not session.ledger.interrupted
        assert [message.text for message in session.ledger.messages] == ["go", "one", "go", "two"]
        with pytest.raises(BadUse):
            Session(tmp_path / "mine.jsonl")  # it is still held
    assert not (tmp_path / "work" / ".xwork").exists()


def test_a_last_word_that_was_cut_off_is_said_to_be(play):
    one = play(ScriptedAnswer(text="so it", finish=Finish.LENGTH))
    assert one.agent.run("go").text == "so it"
    assert any("cut off" in getattr(event, "text", "") for event in one.events)


def test_processes_of_the_host_are_left_alone(play, say):
    import subprocess

    mine = subprocess.Popen(["sleep", "60"], start_new_session=True)
    one = play(say.calls(("exec_command", {"command": "(sleep 60 &) ; true"})), "ok")
    one.agent.run("go")
    one.agent.close()
    assert mine.poll() is None
    mine.kill()
    mine.wait()
