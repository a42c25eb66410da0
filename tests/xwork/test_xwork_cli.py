"""`python -m xuen.xwork` from the outside, with a scripted model that is led through xuen's questions."""

import json
import shutil
import signal
import subprocess
import sys
import time

import pytest

from xuen import signals
from xuen.workspace import section_script
from xuen.workspace.research import Sections, new_research, parse

IDEA = "Use silk, because it is light. Test it in a light wind."
WRITTEN = "The idea and the artifact are in research.md.\n"
STEPS = (
    "read_file",
    *("start_process", "write_process", "poll_process") * 2,
    "exec_command",
)
POINTS = "1. Buy silk.\n2. Cut a diamond of one metre.\n3. Fly it at the beach."


@pytest.fixture
def workspace(tmp_path):
    folder = tmp_path / "workspace"
    folder.mkdir()
    shutil.copy(section_script.__file__, folder / "write_section.py")
    (folder / "research.md").write_bytes(new_research("Design a kite."))
    return folder


@pytest.fixture
def xwork(tmp_path, environment):
    def start(*arguments, script=None, request=None, command="run", **env):
        if request is not None:
            (tmp_path / "request.json").write_text(json.dumps(request), "utf-8")
            arguments, env = ("go", *arguments), env | {"XUEN_REQUEST": str(tmp_path / "request.json")}
        if script is not None:
            lines = script if isinstance(script, str) else "\n".join(json.dumps(answer) for answer in script)
            (tmp_path / "script.jsonl").write_text(lines, "utf-8")
            arguments = (*arguments, "--model", f"script:{tmp_path / 'script.jsonl'}")
        return subprocess.Popen(
            [sys.executable, "-m", "xuen.xwork", command, *arguments],
            cwd=tmp_path,
            env=environment(**env),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            encoding="utf-8",
        )

    def run(*arguments, **keywords):
        process = start(*arguments, **keywords)
        out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    run.start = start
    return run


def asked(purpose, **data):
    about = {"task": "Design a kite.", "round": 1, "language": "en", "notes": "", "words": []}
    return {**about, "idea": "", "artifact": "", "inputs": [], "purpose": purpose, **data}


def research(**data):
    return asked("research", **{"words": ["silk", "wind"], **data})


def judging(best="old", **data):
    new, old = {"idea": "new", "artifact": ""}, {"idea": best, "artifact": ""}
    return asked("judge", **{"candidate": new, "best": old, "nonce": "c0ffee42", **data})


def sections(workspace):
    return parse((workspace / "research.md").read_bytes()).sections


def test_a_research_call_thinks_aloud_and_writes_both_sections(workspace, xwork):
    code, out, err = xwork(
        request=research(), script=["Light wind needs light cloth.", IDEA, POINTS], XUEN_WORKSPACE=str(workspace)
    )
    assert code == 0
    assert sections(workspace) == Sections(IDEA, POINTS)
    shown = f"-- Thinking --\nLight wind needs light cloth.\n-- The idea --\n{IDEA}\n-- The artifact --\n{POINTS}\n"
    assert out == shown + WRITTEN
    assert [line.split()[1] for line in err.splitlines()] == list(STEPS)


def test_show_lists_the_steps_of_such_a_call(workspace, xwork):
    script = [{"text": text, "usage": {"input_tokens": 10, "output_tokens": 5}} for text in ("T.", IDEA, POINTS)]
    place = ("--workspace", str(workspace), "--session", "one.jsonl")
    assert xwork(*place, request=research(), script=script)[0] == 0
    code, out, _ = xwork(*place, command="show")
    assert code == 0
    lines = out.splitlines()
    assert [line.split()[2] for line in lines if line.startswith("    -> ")] == list(STEPS)
    said = [line.removeprefix("assistant: ") for line in lines if line.startswith("assistant: ")]
    assert [text for text in said if text] == ["T.", IDEA, POINTS.replace("\n", " "), WRITTEN.strip()]
    state = json.loads(xwork(*place, "--json", command="show")[1])
    assert (state["state"], state["interrupted"], state["prompts"]) == ("finished", False, 1)
    assert (state["usage"]["input_tokens"], state["usage"]["output_tokens"], state["uncounted_answers"]) == (30, 15, 0)
    assert state["tokens"] > 100


def test_the_text_of_a_section_is_data_and_never_part_of_a_command(workspace, xwork):
    idea = "Use `touch made1` and $(touch made2)'; touch made3 # \" $PATH."
    points = "1. Say EOF; touch made4.\n2. Say 'this' & touch made5."
    assert xwork("--workspace", str(workspace), request=research(), script=["T.", idea, points])[0] == 0
    assert sections(workspace) == Sections(idea, points)
    records = [json.loads(line) for line in (workspace / ".xwork/session.jsonl").read_text("utf-8").splitlines()]
    calls = [call for record in records if record["kind"] == "answer" for call in record["message"].get("calls", [])]
    commands = [json.loads(call["arguments"]).get("command", "") for call in calls]
    assert not any("touch" in command for command in commands)
    assert not list(workspace.glob("made*"))


@pytest.mark.parametrize("approval", ["read-only", "ask"])
def test_permissions_hold_for_a_model_that_is_led_too(workspace, xwork, approval):
    before = (workspace / "research.md").read_bytes()
    options = ("--workspace", str(workspace), "--approval", approval)
    code, _, err = xwork(*options, request=research(), script=["T.", IDEA, POINTS])
    assert code == 1
    assert "denied" in err
    assert (workspace / "research.md").read_bytes() == before


def test_what_could_not_be_written_is_tried_again_by_resume(workspace, xwork):
    whole = (workspace / "research.md").read_bytes()
    (workspace / "research.md").write_text("no markers", "utf-8")
    assert xwork("--workspace", str(workspace), request=research(), script=["T.", IDEA])[0] == 1
    assert xwork("--workspace", str(workspace), request=research(), script=[])[0] == 3
    (workspace / "research.md").write_bytes(whole)
    code, out, err = xwork("--workspace", str(workspace), command="resume", script=[POINTS])
    assert code == 0, err
    assert out.endswith(WRITTEN)
    assert sections(workspace) == Sections(IDEA, POINTS)


@pytest.mark.timeout(600)
@pytest.mark.parametrize("mode", ["before", "after"])
def test_a_call_that_is_led_survives_a_kill_at_every_checkpoint(tmp_path, agents, environment, mode):
    command = [sys.executable, str(agents / "xwork_led_killed.py"), str(tmp_path), mode]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lives = json.loads(done.stdout)
    assert len(lives) > 15
    assert [life for life in lives if life != {"state": "finished", "prompts": 1, "written": True}] == []


def test_what_was_cut_off_is_not_written(workspace, xwork):
    script = ["T.", {"text": f"{IDEA} And th", "finish": "length"}, {"text": f"{POINTS}\n4. Whe", "finish": "length"}]
    assert xwork("--workspace", str(workspace), request=research(), script=script)[0] == 0
    assert sections(workspace) == Sections(IDEA, POINTS)


def test_what_hardly_differs_from_before_is_asked_for_again(workspace, xwork):
    request = research(idea=IDEA, artifact=POINTS)
    script = ["T.", IDEA, "Use paper instead.", POINTS, "1. Buy paper."]
    code, _, err = xwork("--workspace", str(workspace), request=request, script=script)
    assert code == 0
    assert err.count("nearly the same") == 2
    assert sections(workspace) == Sections("Use paper instead.", "1. Buy paper.")


def test_the_words_come_a_line_each_without_doubles_and_known_ones(workspace, xwork):
    request = asked("words", count=4, known=["silk"], nonce="c0ffee42")
    script = ["wind tunnel\nSilk\n- paper\nfabric of the\npaper\n", "bamboo\nglue\nkite string\n"]
    code, out, err = xwork(script=script, request=request)
    assert (code, out, err) == (0, "wind tunnel\npaper\nbamboo\nglue\n", "")


def test_the_judge_says_the_score_in_the_form_that_was_asked_for(workspace, xwork):
    script = [*"776688", *"555555"]
    code, out, err = xwork(script=script, request=judging())
    assert (code, out) == (0, "SCORE c0ffee42: 9.0\n")
    assert err == "candidate: 7 7 6 6 8 8\nbest: 5 5 5 5 5 5\n"
    assert "thought: candidate: 7 7 6 6 8 8 best: 5" in xwork(command="show")[1]


@pytest.mark.parametrize(("script", "better"), [("777777555555", "A"), ("555555777777", "B"), ("5" * 12, "EQUAL")])
def test_two_texts_are_compared(xwork, script, better):
    a, b = {"idea": "one", "artifact": ""}, {"idea": "", "artifact": "two"}
    code, out, _ = xwork(request=judging(a=a, b=b, wording=0), script=[*script])
    assert (code, out) == (0, f"BETTER c0ffee42: {better}\n")


@pytest.mark.parametrize("content", [None, "[]", "{", '{"purpose": "novel", "task": "x"}'])
def test_a_request_that_cannot_be_read_is_bad_use(tmp_path, xwork, content):
    if content is not None:
        (tmp_path / "r.json").write_text(content)
    code, out, err = xwork("go", script=["x"], XUEN_REQUEST=str(tmp_path / "r.json"))
    assert (code, out, err.count("\n")) == (2, "", 1) and "XUEN_REQUEST" in err


def test_what_all_numbers_of_a_judge_cost_is_summed(workspace, xwork):
    script = [{"text": "5", "usage": {"input_tokens": 10, "output_tokens": 1}}] * 12
    _, out, _ = xwork("--json", script=script, request=judging())
    assert json.loads(out.splitlines()[-1])["usage"]["input_tokens"] == 120
    script[7] = "5"  # one that nobody counted, so the sum is unknown
    _, out, _ = xwork("--json", "--session", "other.jsonl", script=script, request=judging())
    assert json.loads(out.splitlines()[-1])["usage"]["input_tokens"] is None


def test_against_an_empty_best_the_candidate_counts_alone(workspace, xwork):
    code, out, _ = xwork(request=judging(best=""), script=[*"333333"])
    assert (code, out.splitlines()[-1]) == (0, "SCORE c0ffee42: 7.9")


def test_a_score_that_is_no_number_is_a_failed_call(workspace, xwork):
    code, out, err = xwork(script=["very good"], request=judging())
    assert code == 1
    assert "SCORE" not in out
    assert "no number" in err


def test_a_plain_question_is_just_answered(xwork):
    assert xwork("Why is the sky blue?", script=["Because air scatters blue light."]) == (
        0,
        "Because air scatters blue light.\n",
        "",
    )


@pytest.mark.parametrize("script", [["T.", "", "", ""], ["", " ", "\n"]])
def test_an_empty_answer_is_a_failed_call(workspace, xwork, script):
    code, _, err = xwork(request=research(), script=script, XUEN_WORKSPACE=str(workspace))
    assert code == 1
    assert "answered with nothing" in err
    assert sections(workspace) == Sections("", "")


def test_a_section_that_cannot_be_written_is_a_failed_call(workspace, xwork):
    (workspace / "research.md").write_text("no markers", "utf-8")
    code, _, err = xwork(request=research(), script=["T.", IDEA, POINTS], XUEN_WORKSPACE=str(workspace))
    assert code == 1
    assert "write_section.py did not write the section idea" in err
    assert (workspace / "research.md").read_text("utf-8") == "no markers"


def test_a_long_text_of_the_user_around_the_sections_does_not_hide_what_was_written(workspace, xwork):
    document = (workspace / "research.md").read_text("utf-8")
    (workspace / "research.md").write_text("before\n" * 2000 + document + "behind\n" * 2000, "utf-8")
    settings = {"XUEN_WORKSPACE": str(workspace)}
    code, out, err = xwork(request=research(), script=["T.", IDEA, POINTS], **settings)
    assert (code, sections(workspace)) == (0, Sections(IDEA, POINTS)), err
    assert out.endswith(WRITTEN)


def test_without_a_workspace_to_write_to_it_fails_before_asking(tmp_path, workspace, xwork):
    (workspace / "write_section.py").unlink()
    code, out, err = xwork("--workspace", str(workspace), request=research(), script=[])
    assert (code, out) == (1, "")
    assert "--workspace" in err


def test_json_gives_one_event_a_line(workspace, xwork):
    request = asked("words", count=1, known=[], nonce="c0ffee42")
    code, out, _ = xwork("--json", request=request, script=[{"text": "paper", "usage": {"output_tokens": 2}}])
    events = [json.loads(line) for line in out.splitlines()]
    assert code == 0
    assert [event["event"] for event in events] == [
        "run_started",
        "model_started",
        "step_started",
        "text_chunk",
        "model_ended",
        "completed",
    ]
    assert events[4]["usage"]["output_tokens"] == 2
    assert events[4]["usage"]["input_tokens"] is None


def test_a_failure_is_the_last_event(workspace, xwork):
    request = asked("words", count=1, known=[], nonce="c0ffee42")
    code, out, _ = xwork("--json", request=request, script=[{"error": "overflow", "message": "too long"}])
    assert (code, json.loads(out.splitlines()[-1])) == (1, {"event": "failed", "error": "too long", "code": 1})


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ((), "no task"),
        (("  ",), "no task"),
        (("task", "--prompt-file", "p.txt"), "exclude"),
        (("--prompt-file", "missing.txt"), "missing.txt"),
        (("task", "--workspace", "missing"), "missing"),
        (("task", "--model", "script:missing.json"), "missing.json"),
        (("task", "--sandbox-network"), "without a sandbox"),
    ],
)
def test_bad_use_is_one_line_and_code_2(xwork, arguments, part):
    code, out, err = xwork(*arguments)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert part in err


def test_compact_says_that_it_has_no_use_for_servers(tmp_path, xwork):
    (tmp_path / "mcp.json").write_text('{"mcpServers": {}}')
    code, out, err = xwork("--mcp", "mcp.json", command="compact")
    assert (code, out, err) == (2, "", "xwork: compact calls no tools, so --mcp does nothing there\n")


def test_a_script_that_is_none_is_bad_use(xwork):
    code, _, err = xwork("task", script='{"txt": "x"}')
    assert code == 2
    assert "script" in err


def test_the_prompt_can_come_from_a_file_with_any_bytes(tmp_path, xwork):
    (tmp_path / "p.txt").write_bytes(b"Why \xff?")
    assert xwork("--prompt-file", "p.txt", script=["So."])[0] == 0


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_in_the_midst_of_an_answer_ends_it(xwork, number, code):
    process = xwork.start("Why?", "--json", script=[{"text": "abcdef", "chunk": 3, "delay": 20}])
    while json.loads(process.stdout.readline())["event"] != "model_started":
        pass
    process.send_signal(number)  # the first piece comes after 20 s, so it meets the wait
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (code, "")
    assert json.loads(out) == {"event": "failed", "error": "interrupted", "code": code}


def test_without_xllamacpp_one_line_says_what_to_install(tmp_path, xwork):
    hide = tmp_path / "hide"
    hide.mkdir()
    (hide / "sitecustomize.py").write_text("import sys\nsys.modules['xllamacpp'] = None\n", "utf-8")
    root = section_script.__file__.rsplit("/xuen/", 1)[0]
    code, out, err = xwork("Why?", PYTHONPATH=f"{hide}:{root}", XDG_CACHE_HOME=str(tmp_path / "cache"))
    assert (code, out) == (1, "")
    assert "pip install xllamacpp" in err
    assert err.count("\n") == 1
    assert not (tmp_path / "cache").exists()


def test_a_signal_while_the_embedded_model_loads_ends_it_at_once(tmp_path, xwork):
    # Like the real one, this one holds the interpreter until it is loaded, so that no handler in Python is called.
    package, loading = tmp_path / "modules" / "xllamacpp", tmp_path / "loading"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text(
        "import ctypes, pathlib\nfrom types import SimpleNamespace as Group\n"
        "def CommonParams():\n    return Group(model=Group(), cpuparams=Group(), cpuparams_batch=Group())\n"
        "def Server(params):\n"
        f"    pathlib.Path({str(loading)!r}).touch()\n"
        "    ctypes.PyDLL(None).sleep(300)\n"
    )
    (tmp_path / "m.gguf").touch()
    root = section_script.__file__.rsplit("/xuen/", 1)[0]
    path = f"{package.parent}:{root}"
    process = xwork.start("go", XWORK_MODEL_FILE=str(tmp_path / "m.gguf"), PYTHONPATH=path)
    try:
        while process.poll() is None and not loading.exists():
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == -signal.SIGINT  # which a shell calls 130; it would sleep ten times as long
    finally:
        process.kill()
        process.communicate()


def test_a_host_of_the_library_keeps_its_handlers():
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with signals.default_handlers():
            assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)
