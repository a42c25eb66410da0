"""The tools one by one: real files, a real shell, real processes."""

import json
import os
import re
import shutil
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import psutil
import pytest

from xuen.proc.child import GRACE
from xuen.proc.environment import GIT_LOCAL
from xuen.xwork.errors import Interrupted
from xuen.xwork.policy.paths import PathRefused
from xuen.xwork.tools.artifacts import SHOWN
from xuen.xwork.tools.builtin import TOOLS
from xuen.xwork.tools.command import environment
from xuen.xwork.tools.outcome import Effect, ToolError
from xuen.xwork.tools.processes import CLOSE


@pytest.fixture
def use(context):
    """Uses a tool by name."""
    by_name = {tool.name: tool for tool in TOOLS}

    def run(name: str, **arguments):
        tool = by_name[name]
        return tool.run(tool.decode(msgspec.json.encode(arguments).decode()), context)

    return run


def test_the_eleven_tools_have_exactly_these_arguments():
    told = {t.name: (t.definition.parameters["required"], set(t.definition.parameters["properties"])) for t in TOOLS}
    assert told == {
        "read_file": (["path"], {"path", "offset", "limit"}),
        "list_files": ([], {"path", "recursive", "pattern", "limit"}),
        "search_text": (["query"], {"query", "path", "pattern", "max_depth", "limit"}),
        "write_file": (["path", "content"], {"path", "content", "mode", "create_parents"}),
        "replace_text": (["path", "old_text", "new_text"], {"path", "old_text", "new_text", "expected_count"}),
        "apply_patch": (["patch"], {"patch"}),
        "exec_command": (["command"], {"command", "cwd", "timeout", "expected_exit_codes"}),
        "start_process": (["command"], {"command", "cwd"}),
        "poll_process": (["process_id"], {"process_id", "wait_ms"}),
        "write_process": (["process_id"], {"process_id", "text", "close_stdin"}),
        "stop_process": (["process_id"], {"process_id", "signal"}),
    }


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_null_for_an_optional_argument_is_no_argument(tool):
    """As public reports have it: ZenRows/zenrows-mcp#23, openclaw/openclaw#72587."""
    schema = tool.definition.parameters
    required = dict.fromkeys(schema["required"], "x")
    nulls = dict.fromkeys(schema["properties"].keys() - required.keys())
    assert tool.decode(json.dumps(nulls | required)) == tool.decode(json.dumps(required))
    for name in required:
        with pytest.raises(ToolError, match=name):
            tool.decode(json.dumps(required | {name: None}))
    with pytest.raises(ToolError, match="unknown field `novel`"):
        tool.decode(json.dumps(required | {"novel": None}))


# --- read_file ---


def test_reading_gives_line_numbers_and_says_where_to_go_on(use, work):
    (work / "f").write_text("".join(f"line {n}\n" for n in range(1, 11)))
    assert use("read_file", path="f", offset=3, limit=2).text == (
        "     3\tline 3\n     4\tline 4\n[more lines follow; go on with offset 5]"
    )
    assert use("read_file", path="f", offset=10).text == "    10\tline 10"
    with pytest.raises(ToolError, match="only 10 lines"):
        use("read_file", path="f", offset=11)


@pytest.mark.parametrize(
    ("content", "shown"),
    [
        (b"", "f is empty"),
        (b"a\r\nb", "     1\ta\n     2\tb"),
        (b"\xef\xbb\xbfa\n", "     1\ta"),
        ("\u8bcd\n".encode(), "     1\t\u8bcd"),
    ],
)
def test_reading_small_files(use, work, content, shown):
    (work / "f").write_bytes(content)
    assert use("read_file", path="f").text == shown


@pytest.mark.parametrize(("content", "part"), [(b"a\0b", "binary"), (b"ok\ncaf\xe9", "not UTF-8")])
def test_reading_refuses_what_is_no_text(use, work, content, part):
    (work / "f").write_bytes(content)
    with pytest.raises(ToolError, match=part):
        use("read_file", path="f")


def test_a_page_is_bounded_also_for_a_file_of_one_enormous_line(use, work):
    with (work / "f").open("wb") as file:
        for _ in range(30):
            file.write(b"x" * (1 << 20))
        file.write("\u8bcd".encode() * 10 + b"\nlast\n")
    text = use("read_file", path="f").text
    assert len(text) < 5000 and "characters of this line left out" in text and "     2\tlast" in text
    (work / "g").write_text("y" * 100 + "\n" + "".join(f"{n} {'z' * 90}\n" for n in range(5000)))
    page = use("read_file", path="g").text
    assert len(page) < SHOWN
    following = int(page.rsplit(" ", 1)[1].rstrip("]"))
    assert use("read_file", path="g", offset=following, limit=1).text.startswith(f"{following:>6}\t{following - 2} z")


def test_an_enormous_file_is_refused_or_given_up_at_once_and_never_read_to_its_end(use, context, work):
    (work / "f").write_bytes(b"one\n")
    os.truncate(work / "f", 1 << 40)
    with pytest.raises(ToolError, match="binary"):
        use("read_file", path="f")
    patience = threading.Timer(0.5, context.cancel.set)
    patience.start()
    with pytest.raises(Interrupted):
        use("read_file", path="f", offset=3)


# --- list_files and search_text ---


@pytest.fixture
def grove(work):
    for path, content in {
        "a.py": "import os\nneedle here\n", "b.txt": "nothing\n", "sub/c.py": "x\nneedle one\nneedle two\n",
        "sub/deep/d.md": "a needle\n", ".hidden/e.py": "needle\n", ".git/config": "needle\n", ".xwork/s": "needle\n",
        "bin": "needle\0needle\n", "latin": "needle\n", ".gitignore": "sub/\n",
    }.items():  # fmt: skip
        (work / path).parent.mkdir(parents=True, exist_ok=True)
        (work / path).write_text(content)
    (work / "latin").write_bytes(b"caf\xe9 needle\r\n")
    (work / "link").symlink_to("sub")
    return work


def test_listing(use, grove):
    flat = use("list_files").text.splitlines()
    assert flat[:3] == [".git/", ".gitignore (5 bytes)", ".hidden/"] and "link (link)" in flat
    assert use("list_files", path="sub", recursive=True).text.splitlines() == [
        "sub/c.py (24 bytes)",
        "sub/deep/",
        "sub/deep/d.md (9 bytes)",
    ]
    found = use("list_files", recursive=True, pattern="*.py").text.splitlines()
    assert found == [".hidden/e.py (7 bytes)", "a.py (22 bytes)", "sub/c.py (24 bytes)"]
    assert use("list_files", recursive=True, pattern="sub/*.md").text == "sub/deep/d.md (9 bytes)"
    assert use("list_files", limit=2).text.splitlines()[2].startswith("[more than 2")
    with pytest.raises(PathRefused):
        use("list_files", path="a.py")


@pytest.mark.parametrize("tool", ["list_files", "search_text"])
def test_what_looks_at_a_whole_tree_is_bounded_and_ends_when_it_is_cancelled(use, context, grove, tool):
    asked = {"query": "needle"} if tool == "search_text" else {"recursive": True}
    with pytest.raises(ToolError, match="10000"):
        use(tool, **asked, limit=10_001)
    context.cancel.set()
    with pytest.raises(Interrupted):
        use(tool, **asked)


@pytest.fixture(params=["with ripgrep", "without"])
def either_way(request, monkeypatch, tmp_path):
    if request.param == "without":
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")  # where pip puts its rg
        assert shutil.which("rg"), "install requirements-dev.txt: it brings ripgrep along"


@pytest.mark.parametrize(
    ("arguments", "lines"),
    [
        ({"query": "needle"}, [".hidden/e.py:1: needle", "a.py:2: needle here", "latin:1: caf\ufffd needle",
                               "sub/c.py:2: needle one", "sub/c.py:3: needle two", "sub/deep/d.md:1: a needle"]),
        ({"query": "needle", "path": "sub"}, ["sub/c.py:2: needle one", "sub/c.py:3: needle two",
                                              "sub/deep/d.md:1: a needle"]),
        ({"query": "needle", "path": "sub", "max_depth": 1}, ["sub/c.py:2: needle one", "sub/c.py:3: needle two"]),
        ({"query": "needle", "path": "link"}, ["sub/c.py:2: needle one", "sub/c.py:3: needle two",
                                               "sub/deep/d.md:1: a needle"]),
        ({"query": "needle", "path": "sub/c.py"}, ["sub/c.py:2: needle one", "sub/c.py:3: needle two"]),
        ({"query": "needle", "path": ".xwork"}, [".xwork/s:1: needle"]),
        ({"query": "needle", "pattern": "*.md"}, ["sub/deep/d.md:1: a needle"]),
        ({"query": "needle", "limit": 1}, [".hidden/e.py:1: needle", "[more than 1 lines; narrow the search]"]),
        ({"query": "NEEDLE"}, ["(no line holds this text)"]),
        ({"query": "n.edle"}, ["(no line holds this text)"]),
        ({"query": "-needle"}, ["(no line holds this text)"]),
    ],
)  # fmt: skip
def test_searching_is_the_same_with_ripgrep_and_without(use, grove, either_way, arguments, lines):
    assert use("search_text", **arguments).text.splitlines() == lines


@pytest.mark.parametrize("path", [".", "huge"])
def test_what_is_too_large_to_be_searched_whole_is_told(use, work, either_way, path):
    with (work / "huge").open("w") as file:
        file.write("a needle\n")
        file.write("hay hay\n" * (8 << 20))
        file.write("a needle\n")
    told = "huge: [only its first 64 MiB are searched]"
    assert use("search_text", query="needle", path=path).text.splitlines() == [told, "huge:1: a needle"]


# --- write_file and replace_text ---


def test_writing(use, work):
    assert use("write_file", path="a", content="1\n").effect is Effect.WRITE
    (work / "a").chmod(0o711)
    use("write_file", path="a", content="2\n", mode="append")
    assert (work / "a").read_text() == "1\n2\n"
    assert stat.S_IMODE((work / "a").stat().st_mode) == 0o711
    with pytest.raises(PathRefused, match="exists"):
        use("write_file", path="a", content="", mode="create")
    with pytest.raises(PathRefused, match="does not exist"):
        use("write_file", path="d/e/f", content="")
    use("write_file", path="d/e/f", content="x", create_parents=True, mode="create")
    assert (work / "d/e/f").read_text() == "x"
    assert [path.name for path in work.iterdir()] != [] and not list(work.rglob(".xuen-*"))


@pytest.mark.parametrize(
    ("before", "arguments", "after"),
    [
        (b"a b a\n", {"old_text": "b", "new_text": "c"}, b"a c a\n"),
        (b"a b a\n", {"old_text": "a", "new_text": "", "expected_count": 2}, b" b \n"),
        (b"\xef\xbb\xbfa\r\nb\r\nc", {"old_text": "a\nb", "new_text": "x\ny\nz"}, b"\xef\xbb\xbfx\r\ny\r\nz\r\nc"),
        (b"a\r\nb\r\n", {"old_text": "b", "new_text": "x\ny"}, b"a\r\nx\r\ny\r\n"),
        (b"a\nb\r\n", {"old_text": "b\r\n", "new_text": "c\r\n"}, b"a\nc\r\n"),
    ],
)
def test_replacing(use, work, before, arguments, after):
    (work / "f").write_bytes(before)
    use("replace_text", path="f", **arguments)
    assert (work / "f").read_bytes() == after


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"old_text": "a", "new_text": "x"}, "stands 3 times in f (lines 1, 1, 2), expected 1"),
        ({"old_text": "b", "new_text": "x", "expected_count": 2}, "stands 1 times"),
        ({"old_text": "zz", "new_text": "x"}, "does not stand in f"),
        ({"old_text": "a  b", "new_text": "x"}, "other white space"),
        ({"old_text": "a", "new_text": "a"}, "the same"),
        ({"old_text": "", "new_text": "a"}, "length"),
    ],
)
def test_a_replacement_that_does_not_fit_changes_nothing(use, work, arguments, part):
    (work / "f").write_text("a b a\na\n")
    with pytest.raises(ToolError) as refused:
        use("replace_text", path="f", **arguments)
    assert part in str(refused.value)
    assert (work / "f").read_text() == "a b a\na\n"


# --- exec_command ---


def test_a_command_gives_its_exit_code_and_both_outputs_in_order(use, work):
    done = use("exec_command", command="echo one; echo two >&2; echo three; exit 3")
    assert done.failed and done.effect is Effect.NONE
    assert done.text.startswith("exit code 3, expected 0") and done.text.endswith("one\ntwo\nthree\n")
    good = use("exec_command", command="exit 3", expected_exit_codes=[2, 3])
    assert not good.failed and good.effect is Effect.CHECK and "as expected" in good.text
    assert use("exec_command", command="true", expected_exit_codes=[1]).failed
    killed = use("exec_command", command="kill -9 $$", expected_exit_codes=[137, 9])
    assert killed.failed and "SIGKILL" in killed.text


def test_a_command_runs_in_its_folder_without_input_pager_or_colour(use, work):
    (work / "sub").mkdir()
    command = "pwd; cat; echo $PAGER $GIT_PAGER $TERM $NO_COLOR; cut -d ' ' -f 6 /proc/$$/stat"
    lines = use("exec_command", command=command, cwd="sub").text.splitlines()
    assert lines[1:3] == [str(work / "sub"), "cat cat dumb 1"]
    assert int(lines[3]) != os.getsid(0)
    with pytest.raises(PathRefused):
        use("exec_command", command="true", cwd="..")


def test_a_command_works_outside_of_the_repository_of_a_hook():
    assert not GIT_LOCAL & set(environment(dict.fromkeys(GIT_LOCAL, "x")))


def alive(pid_file: Path) -> bool:
    try:
        return psutil.Process(int(pid_file.read_text())).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def test_a_timeout_ends_the_whole_tree_and_keeps_what_was_printed(use, work):
    began = time.monotonic()
    command = (
        "echo begun; setsid sh -c 'echo $$ > a; sleep 300' & (trap '' TERM; echo $BASHPID > b; sleep 300); sleep 300"
    )
    done = use("exec_command", command=command, timeout=4)
    assert time.monotonic() - began < 40
    assert done.failed and "timed out after 4 s" in done.text and "begun" in done.text
    assert not alive(work / "a") and not alive(work / "b")


def test_who_holds_the_output_open_does_not_hold_the_call(use, work):
    began = time.monotonic()
    command = "(echo $BASHPID > a; exec sleep 300) & until [ -s a ]; do sleep 0.02; done; echo hi"
    done = use("exec_command", command=command)
    assert time.monotonic() - began < 20
    assert not done.failed and "hi" in done.text and "were ended" in done.text
    assert not alive(work / "a")


def test_a_cancelled_command_ends_at_once(use, context):
    threading.Timer(0.3, context.cancel.set).start()
    began = time.monotonic()
    with pytest.raises(Interrupted):
        use("exec_command", command="sleep 300")
    assert time.monotonic() - began < 10


def test_a_long_output_goes_into_an_artifact_with_head_and_tail_in_the_context(use, work):
    done = use("exec_command", command="seq 1 50000")
    assert done.text.startswith("exit code 0") and done.text.endswith("49999\n50000\n") and "\n1\n2\n" in done.text
    assert len(done.text) < SHOWN + 300
    (kept,) = re.findall(r"the whole output is in (\.xwork/artifacts/output-\S+\.txt)", done.text)
    assert (work / kept).read_text() == "".join(f"{n}\n" for n in range(1, 50001))
    again = use("exec_command", command="head -c 40000 /dev/zero | tr '\\0' x")
    (other,) = re.findall(r"the whole output is in (\S+\.txt)", again.text)
    assert other != kept and (work / other).stat().st_size == 40000


def test_memory_is_bounded_for_an_output_of_300_megabytes(work, tmp_path, environment):
    work.mkdir()
    script = tmp_path / "flood.py"
    script.write_text(
        "import os, resource, sys, threading\n"
        "from pathlib import Path\n"
        "from xuen.xwork.policy.paths import Workspace\n"
        "from xuen.xwork.tools.artifacts import Artifacts\n"
        "from xuen.xwork.tools.context import ToolContext\n"
        "from xuen.xwork.tools.exec_command import TOOL, ExecCommand\n"
        "from xuen.xwork.tools.processes import ProcessTable\n"
        "ws = Workspace(Path(sys.argv[1]))\n"
        "context = ToolContext(ws, threading.Event(), Artifacts(ws), ProcessTable(), dict(os.environ))\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "done = TOOL.run(ExecCommand(command='head -c 300000000 /dev/zero | tr \"\\\\0\" y'), context)\n"
        "grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before\n"
        "print(len(done.text), grown, '300,000,000' in done.text)\n"
    )
    done = subprocess.run([sys.executable, script, work], env=environment(), capture_output=True, text=True, check=True)
    size, grown, told = done.stdout.split()
    assert int(size) < SHOWN + 300 and int(grown) < 40_000 and told == "True"  # kilobytes
    (kept,) = (work / ".xwork/artifacts").iterdir()
    assert kept.stat().st_size == 64 << 20


def test_output_that_is_no_text_is_shown_replaced(use):
    assert use("exec_command", command="printf 'a\\377\\0b'").text.endswith("a\ufffd\ufffdb")


# --- managed processes ---


def test_a_process_is_spoken_with(use):
    assert use("start_process", command="while read l; do echo got $l; done; echo bye; exit 4").text == "process_id: p1"
    assert use("poll_process", process_id="p1", wait_ms=0).text.startswith("p1: running")
    use("write_process", process_id="p1", text="one\ntwo\n")
    said = ""
    for _ in range(100):
        said += use("poll_process", process_id="p1", wait_ms=200).text
        if "got two" in said:
            break
    assert said.count("got one") == 1 and said.count("got two") == 1
    use("write_process", process_id="p1", close_stdin=True)
    for _ in range(100):
        said = use("poll_process", process_id="p1", wait_ms=200).text
        if "running" not in said:
            break
    assert said == "p1: exited with code 4\nbye\n" or "exited with code 4" in said
    with pytest.raises(ToolError, match="no process 'p1'"):
        use("poll_process", process_id="p1")
    assert use("start_process", command="true").text == "process_id: p2"


def test_characters_cut_between_two_polls_stay_whole(use):
    use("start_process", command="printf '\\350\\257'; sleep 0.5; printf '\\215.'; sleep 300")
    said = ""
    for _ in range(100):
        said += use("poll_process", process_id="p1", wait_ms=100).text.split("\n", 1)[1].replace("(no new output)", "")
        if "." in said:
            break
    assert said == "\u8bcd."


def test_stopping_by_a_single_signal_or_by_the_whole_ladder(use, work):
    trap = "trap 'echo asked' INT TERM; touch {}; while :; do sleep 0.05; done"
    use("start_process", command=f"{trap.format('one')} & echo $! > child; {trap.format('two')}")
    while not all((work / name).exists() for name in ("one", "two")):
        time.sleep(0.01)
    first = use("stop_process", process_id="p1", signal="interrupt")
    assert first.failed and "still running after the signal interrupt" in first.text
    said = first.text
    while "asked" not in said:
        said += use("poll_process", process_id="p1", wait_ms=200).text
    assert "ended by signal 9" in use("stop_process", process_id="p1").text
    assert not alive(work / "child")
    use("start_process", command="sleep 300")
    assert use("stop_process", process_id="p2", signal="terminate").text.startswith("p2: ended by signal 15")


def test_a_flood_that_nobody_polls_is_bounded_and_said(use, context):
    use("start_process", command="head -c 30000000 /dev/zero | tr '\\0' y; echo end; sleep 300")
    managed = context.processes.get("p1")
    while not "".join(list(managed._unread)[-1:]).endswith("end\n"):
        time.sleep(0.02)
    assert sum(map(len, managed._unread)) <= 1 << 20
    text = use("poll_process", process_id="p1").text
    assert "characters of output before this were not polled in time" in text and text.endswith("end\n")


def test_all_processes_end_with_the_shelf(use, context, work):
    for n in range(3):
        use("start_process", command=f"setsid sh -c 'echo $$ > {n}; sleep 300' & sleep 300")
    while not all((work / str(n)).exists() and (work / str(n)).read_text() for n in range(3)):
        time.sleep(0.01)
    context.processes.close()
    assert not any(alive(work / str(n)) for n in range(3))


def test_processes_that_refuse_to_end_are_given_their_grace_together(use, context, work):
    count = 12

    def closing(name: str, command: str) -> float:
        pids = [work / f"{name}-{n}" for n in range(count)]
        for pid in pids:
            use("start_process", command=command.format(pid.name))
        while not all(pid.exists() and pid.read_text() for pid in pids):
            time.sleep(0.01)
        began = time.monotonic()
        context.processes.close()
        took = time.monotonic() - began
        assert not any(alive(pid) for pid in pids)
        return took

    ends = closing("ends", "echo $$ > {}; exec sleep 300")
    refuses = closing("refuses", "trap '' TERM; echo $$ > {}; while :; do sleep 0.1; done")
    # One after the other, their graces come to 12 seconds more than the work, which a busy machine makes long.
    assert refuses < 4 * ends + count * CLOSE / 2


def test_a_cancelled_stop_does_not_wait_for_a_process_that_refuses(use, context, work):
    use("start_process", command="trap '' TERM INT; touch on; while :; do sleep 0.1; done")
    while not (work / "on").exists():
        time.sleep(0.01)
    context.cancel.set()
    began = time.monotonic()
    use("stop_process", process_id="p1")
    assert time.monotonic() - began < GRACE
