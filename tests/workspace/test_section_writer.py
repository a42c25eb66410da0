"""write_section.py as agents meet it: a program on its own, started for real."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from xuen.files import lock
from xuen.files.lock import locked
from xuen.workspace import section_script, section_writer
from xuen.workspace.paths import Workspace
from xuen.workspace.research import Sections, new_research, parse
from xuen.workspace.run_lock import RunLock

Done = subprocess.CompletedProcess[bytes]
Write = Callable[..., Done]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    workspace = Workspace(tmp_path / "work space")
    workspace.root.mkdir()
    workspace.research.write_bytes(b"my note\n" + new_research("t") + b"my end")
    section_writer.install(workspace)
    return workspace


@pytest.fixture
def write(workspace: Workspace) -> Write:
    def run(*arguments: str, text: bytes = b"new", token: str | None = None, **more: object) -> Done:
        return start(workspace, *arguments, text=text, token=token, **more)  # type: ignore[arg-type]

    return run


def start(
    workspace: Workspace,
    *arguments: str,
    text: bytes = b"new",
    token: str | None = None,
    before: tuple[str, ...] = (),
    cwd: str = "/",
    program: Path | None = None,
) -> Done:
    return subprocess.run(
        [*before, sys.executable, "-I", str(program or workspace.section_writer), *arguments],
        input=text,
        capture_output=True,
        timeout=60,
        check=False,
        cwd=cwd,
        env={"PATH": os.environ["PATH"]} | ({} if token is None else {"XUEN_RUN": token}),
    )


def sections(workspace: Workspace) -> Sections:
    data = workspace.research.read_bytes()
    assert data.startswith(b"my note\n# t\n")
    assert data.endswith(b"\nmy end")
    return parse(data).sections


def refused(done: Done, code: int, says: str) -> None:
    error = done.stderr.decode()
    assert done.returncode == code, error
    assert says in error
    assert error.count("\n") == 1
    assert error.startswith("write_section.py: ")
    assert "Traceback" not in error


# --- what it is ------------------------------------------------------------------------------------------------------


def test_its_lock_is_the_lock_of_xuen_word_for_word() -> None:
    def text(path: str | None, name: str) -> str | None:
        source = Path(str(path)).read_text("utf-8")
        found = [each for each in ast.parse(source).body if isinstance(each, ast.FunctionDef) and each.name == name]
        return ast.get_source_segment(source, found[0])

    for name in ("try_lock", "open_locked"):
        assert text(section_script.__file__, name) == text(lock.__file__, name)


def test_it_runs_on_python_3_8_with_the_standard_library_alone() -> None:
    tree = ast.parse(section_writer.script(), feature_version=(3, 8))
    modules = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    modules |= {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert modules <= set(sys.stdlib_module_names) | {"__future__"}
    assert len(modules) >= 5
    newer = {"removeprefix", "removesuffix", "hardlink_to", "is_relative_to", "readlink", "batched", "pairwise"}
    assert not newer & {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}


def test_it_is_written_anew_and_may_be_started_by_name(workspace: Workspace) -> None:
    workspace.section_writer.write_bytes(b"edited")
    section_writer.install(workspace)
    assert workspace.section_writer.read_bytes() == section_writer.script()
    assert os.access(workspace.section_writer, os.X_OK)


# --- writing ---------------------------------------------------------------------------------------------------------


def test_each_section_is_overwritten_whole_and_nothing_else(workspace: Workspace, write: Write) -> None:
    assert write("idea", text="想法\n".encode()).returncode == 0
    assert sections(workspace) == Sections("想法", "")
    assert write("artifact", text=b"one\n\ntwo").returncode == 0
    assert sections(workspace) == Sections("想法", "one\n\ntwo")
    done = write("idea", text=b"$(x) `y` \\n \x00 \r\n\n")
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert sections(workspace) == Sections("$(x) `y` \\n \x00 \r\n", "one\n\ntwo")


def test_it_works_from_any_folder_and_through_a_link(workspace: Workspace, write: Write, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "research.md").write_bytes(b"not this one")
    (elsewhere / "ws.py").symlink_to(workspace.section_writer)
    assert write("idea", text=b"a", cwd=str(elsewhere)).returncode == 0
    assert write("artifact", text=b"b", cwd=str(elsewhere), program=Path("ws.py")).returncode == 0
    assert sections(workspace) == Sections("a", "b")
    assert (elsewhere / "research.md").read_bytes() == b"not this one"


def test_a_linked_state_file_is_replaced_and_its_target_stays(
    workspace: Workspace, write: Write, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.md"
    workspace.research.rename(outside)
    before = outside.read_bytes()
    workspace.research.symlink_to(outside)
    assert write("idea").returncode == 0
    assert sections(workspace) == Sections("new", "")
    assert outside.read_bytes() == before


def test_permissions_stay(workspace: Workspace, write: Write) -> None:
    workspace.research.chmod(0o640)
    assert write("idea").returncode == 0
    assert workspace.research.stat().st_mode & 0o777 == 0o640


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=2, max_size=40))
def test_any_text_arrives_byte_for_byte(workspace: Workspace, text: str) -> None:
    assert start(workspace, "idea", text=text.encode()).returncode == 0
    assert sections(workspace).idea == text.removesuffix("\n")


# --- refusing --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments", [(), ("ideas",), ("idea", "artifact"), ("--allow-empty",), ("-h",), ("idea", "--force")]
)
def test_bad_use_is_refused(workspace: Workspace, write: Write, arguments: tuple[str, ...]) -> None:
    refused(write(*arguments), 2, "python write_section.py idea|artifact")
    assert sections(workspace) == Sections("", "")


def test_empty_input_is_refused_unless_it_is_meant(workspace: Workspace, write: Write) -> None:
    write("idea", text=b"kept")
    refused(write("idea", text=b""), 2, "--allow-empty")
    refused(write("idea", text=b"\n"), 2, "--allow-empty")
    assert sections(workspace) == Sections("kept", "")
    assert write("idea", "--allow-empty", text=b"").returncode == 0
    assert sections(workspace) == Sections("", "")
    assert write("--allow-empty", "artifact", text=b"x").returncode == 0
    assert sections(workspace) == Sections("", "x")


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (b"bad \xff byte", "byte 4"),
        (b"half \xed\xa0\xbd", "UTF-8"),
        (b"a\n<!-- XUEN:ARTIFACT:BEGIN -->\nb", "line 2 of the text is a marker line"),
        (b"<!-- XUEN:IDEA:END --> \r\n", "line 1 of the text is a marker line"),
    ],
)
def test_text_that_no_section_can_hold_is_refused(workspace: Workspace, write: Write, text: bytes, says: str) -> None:
    refused(write("idea", text=text), 2, says)
    assert sections(workspace) == Sections("", "")


WHOLE = new_research("t")


@pytest.mark.parametrize(
    "damaged", [b"", b"no markers", WHOLE * 2, WHOLE.replace(b"IDEA:END", b"IDEA:EN"), b"\xff" + WHOLE]
)
def test_a_damaged_file_is_left_as_it_is(workspace: Workspace, write: Write, damaged: bytes) -> None:
    workspace.research.write_bytes(damaged)
    refused(write("idea"), 2, "research.md is damaged")
    assert workspace.research.read_bytes() == damaged


def test_a_missing_file_or_a_folder_in_its_place_is_refused(workspace: Workspace, write: Write) -> None:
    workspace.research.unlink()
    refused(write("idea"), 2, "no research.md")
    workspace.research.mkdir()
    refused(write("idea"), 2, "research.md")


@pytest.mark.needs("strace")
def test_a_full_disk_changes_nothing(workspace: Workspace, write: Write) -> None:
    before = sorted(workspace.root.iterdir()), workspace.research.read_bytes()
    strace = ("strace", "-o", "/dev/null", "-e", "trace=fsync", "-e", "inject=fsync:error=ENOSPC:when=1")
    (workspace.root / ".research.lock").touch()
    refused(write("idea", before=strace), 2, "No space left")
    assert sorted(workspace.root.iterdir()) == sorted([*before[0], workspace.research_lock])
    assert workspace.research.read_bytes() == before[1]


# --- the lock --------------------------------------------------------------------------------------------------------


@pytest.fixture
def impatient(workspace: Workspace) -> Path:
    """The program with a third of a second instead of thirty."""
    text = section_writer.script()
    assert text.count(b"LOCK_SECONDS = 30.0") == 1
    path = workspace.root / "impatient.py"
    path.write_bytes(text.replace(b"LOCK_SECONDS = 30.0", b"LOCK_SECONDS = 0.3"))
    return path


def test_a_lock_that_stays_held_is_given_up(workspace: Workspace, write: Write, impatient: Path) -> None:
    with locked(workspace.research_lock, 0):
        refused(write("idea", program=impatient), 3, ".research.lock")
    assert sections(workspace) == Sections("", "")
    assert write("idea", program=impatient).returncode == 0


@pytest.mark.needs("strace")
@pytest.mark.parametrize("error", ["ENOLCK", "ESTALE"])
def test_it_never_writes_where_locks_do_not_work(workspace: Workspace, write: Write, error: str) -> None:
    strace = ("strace", "-o", "/dev/null", "-e", "trace=flock", "-e", f"inject=flock:error={error}")
    refused(write("idea", before=strace), 3, "cannot be locked")
    assert sections(workspace) == Sections("", "")


@pytest.mark.needs("strace")
def test_an_interrupted_lock_is_tried_again(workspace: Workspace, write: Write) -> None:
    strace = ("strace", "-o", "/dev/null", "-e", "trace=flock", "-e", "inject=flock:error=EINTR:when=1..3")
    assert write("idea", before=strace).returncode == 0
    assert sections(workspace) == Sections("new", "")


def test_a_link_as_lock_file_is_refused(workspace: Workspace, write: Write, tmp_path: Path) -> None:
    workspace.research_lock.symlink_to(tmp_path / "planted")
    refused(write("idea"), 3, ".research.lock")
    assert not (tmp_path / "planted").exists()


@pytest.mark.needs("strace")
@pytest.mark.parametrize("point", ["fsync:1", "fsync:2", "rename,renameat,renameat2:1"])
def test_a_kill_inside_leaves_old_or_new_and_blocks_nobody(workspace: Workspace, write: Write, point: str) -> None:
    calls, _, nth = point.partition(":")
    write("idea", text=b"old")
    strace = ("strace", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:signal=KILL:when={nth}")
    assert write("idea", text=b"new", before=strace).returncode == -9
    assert sections(workspace).idea in {"old", "new"}
    began = time.monotonic()
    assert write("artifact", text=b"next").returncode == 0
    assert time.monotonic() - began < 20, "it did not wait thirty seconds for the lock"
    assert sections(workspace).artifact == "next"


def test_two_at_once_lose_nothing(workspace: Workspace) -> None:
    def both(number: int) -> Iterator[subprocess.Popen[bytes]]:
        for name in ("idea", "artifact"):
            child = subprocess.Popen(
                [sys.executable, "-I", "-S", str(workspace.section_writer), name],
                stdin=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env={"PATH": os.environ["PATH"]},
            )
            assert child.stdin is not None
            child.stdin.write(f"{name} {number}".encode())
            child.stdin.close()
            yield child

    for number in range(10):
        for child in list(both(number)):
            assert child.stderr is not None
            assert child.stderr.read() == b""
            child.stderr.close()
            assert child.wait(timeout=60) == 0
        assert sections(workspace) == Sections(f"idea {number}", f"artifact {number}")


# --- whose agent calls -----------------------------------------------------------------------------------------------


def test_an_agent_of_the_living_run_writes_and_one_of_another_does_not(workspace: Workspace, write: Write) -> None:
    with RunLock(workspace, "alive"):
        assert write("idea", token="alive").returncode == 0
        refused(write("idea", text=b"late", token="older"), 4, "is over")
        assert write("artifact", text=b"by hand").returncode == 0
        assert write("artifact", text=b"by hand", token="").returncode == 0
    refused(write("idea", text=b"late", token="alive"), 4, "is over")
    assert write("artifact", text=b"by hand, later").returncode == 0
    assert sections(workspace) == Sections("new", "by hand, later")


def test_without_any_run_an_agents_call_is_refused(workspace: Workspace, write: Write) -> None:
    refused(write("idea", token="any"), 4, "is over")
    workspace.run_lock.write_bytes(b'{"run":')
    refused(write("idea", token="any"), 4, "is over")


def test_the_token_of_a_killed_run_opens_nothing(workspace: Workspace, write: Write) -> None:
    workspace.run_lock.write_bytes(b'{"pid": %d, "run": "killed"}' % os.getpid())
    refused(write("idea", token="killed"), 4, "is over")
    with RunLock(workspace, "next"):
        refused(write("idea", token="killed"), 4, "is over")
        assert write("idea", token="next").returncode == 0


def test_a_moved_workspace_still_has_its_run_and_a_copy_has_none(workspace: Workspace, tmp_path: Path) -> None:
    with RunLock(workspace, "alive"):
        copy = Workspace(tmp_path / "copy")
        shutil.copytree(workspace.root, copy.root)
        refused(start(copy, "idea", token="alive"), 4, "is over")
        moved = Workspace(workspace.root.rename(tmp_path / "moved"))
        assert start(moved, "idea", token="alive").returncode == 0
    assert sections(moved) == Sections("new", "")
