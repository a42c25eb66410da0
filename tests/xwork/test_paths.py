"""The workspace's fence: a table of ways out, and races against a link that comes and goes."""

import os
import threading

import pytest

from xuen.xwork.policy.paths import PathRefused, Workspace
from xuen.xwork.tools import apply_patch, list_files, read_file, replace_text, search_text, write_file


@pytest.fixture
def fenced(context, work, tmp_path):
    """The workspace with links in it, and things outside."""
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("secret\n")
    sibling = tmp_path / "work-evil"
    sibling.mkdir()
    (sibling / "s.txt").write_text("secret\n")
    (work / "inside").mkdir()
    (work / "inside" / "real.txt").write_text("real\n")
    links = {
        "dirlink": outside, "leaf": outside / "secret.txt", "dangling": outside / "made-by-link", "rel": "../outside",
        "proc": "/proc/self/root", "cwd": "/proc/self/cwd", "loop": "loop",
        "good": "inside", "goodleaf": "inside/real.txt",
        "abs": work / "inside", "chain": "rel", "deep": "inside/../../outside",
    }  # fmt: skip
    for name, target in links.items():
        (work / name).symlink_to(target)
    return context


OUT = [
    "dirlink/secret.txt", "dirlink/new.txt", "leaf", "dangling", "rel/secret.txt", "proc/etc/passwd",
    "cwd/pyproject.toml",
    "loop", "loop/x", "chain/secret.txt", "deep/secret.txt", "../outside/secret.txt", "inside/../../outside/secret.txt",
    "{root}/../outside/secret.txt", "{root}-evil/s.txt", "/etc/passwd", "/proc/self/root{root}/inside/real.txt", "~/x",
    "~", "a\0b", "", " ", "../work-evil/s.txt", "..", "dirlink/missing/new.txt", "good/../../outside/secret.txt",
    "//etc/passwd", "/",
]  # fmt: skip


def attempts(path: str):
    yield read_file.TOOL, {"path": path}
    yield write_file.TOOL, {"path": path, "content": "EVIL", "create_parents": True}
    yield write_file.TOOL, {"path": path, "content": "EVIL", "mode": "append"}
    yield write_file.TOOL, {"path": path, "content": "EVIL", "mode": "create"}
    yield replace_text.TOOL, {"path": path, "old_text": "secret", "new_text": "EVIL"}
    yield list_files.TOOL, {"path": path, "recursive": True}
    yield search_text.TOOL, {"path": path, "query": "secret"}
    for body in (f"*** Add File: {path}\n+EVIL", f"*** Delete File: {path}"):
        yield apply_patch.TOOL, {"patch": f"*** Begin Patch\n{body}\n*** End Patch"}


@pytest.mark.parametrize("path", OUT)
def test_no_tool_leaves_the_workspace(fenced, work, tmp_path, path):
    import msgspec

    from xuen.xwork.tools.outcome import ToolError

    def outside():
        found = [p for p in tmp_path.rglob("*") if work not in p.parents and p != work]
        return {str(p): p.read_bytes() if p.is_file() else None for p in found}

    path = path.replace("{root}", str(work))
    before = outside()
    for tool, arguments in attempts(path):
        with pytest.raises((PathRefused, ToolError)):
            tool.run(tool.decode(msgspec.json.encode(arguments).decode()), fenced)
    assert outside() == before


def test_links_that_stay_inside_work(fenced, work):
    from xuen.xwork.tools.write_file import WriteFile

    run = write_file.TOOL.run
    run(WriteFile(path="goodleaf", content="1"), fenced)
    run(WriteFile(path="good/two.txt", content="2"), fenced)
    run(WriteFile(path="abs/three.txt", content="3"), fenced)
    run(WriteFile(path=f"{work}/inside/./x/../four.txt", content="4", create_parents=True), fenced)
    names = {path.name: path.read_text() for path in (work / "inside").iterdir() if path.is_file()}
    assert names == {"real.txt": "1", "two.txt": "2", "three.txt": "3", "four.txt": "4"}
    assert (work / "goodleaf").is_symlink()


def test_a_hard_link_is_parted_and_never_written_through(fenced, work, tmp_path):
    from xuen.xwork.tools.write_file import WriteFile

    os.link(tmp_path / "outside" / "secret.txt", work / "hard")
    write_file.TOOL.run(WriteFile(path="hard", content="x", mode="append"), fenced)
    assert (work / "hard").read_text() == "secret\nx"
    assert (tmp_path / "outside" / "secret.txt").read_text() == "secret\n"


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_what_is_no_regular_file_is_refused_without_waiting(fenced, work, make):
    from xuen.xwork.tools.read_file import ReadFile
    from xuen.xwork.tools.write_file import WriteFile

    make(work / "odd")
    for tool, arguments in (
        (read_file.TOOL, ReadFile(path="odd")),
        (write_file.TOOL, WriteFile(path="odd", content="")),
    ):
        with pytest.raises(PathRefused):
            tool.run(arguments, fenced)


def test_the_runtimes_own_files_are_read_but_not_written(fenced, work):
    from xuen.xwork.tools.write_file import WriteFile

    (work / ".xwork").mkdir()
    (work / "sneaky").symlink_to(".xwork")
    for path in (".xwork/session.jsonl", "sneaky/session.jsonl", "inside/../.xwork/x"):
        with pytest.raises(PathRefused, match="runtime"):
            write_file.TOOL.run(WriteFile(path=path, content="x"), fenced)


@pytest.mark.parametrize("swapped", ["leaf", "folder"])
def test_ten_thousand_swaps_lead_nowhere(tmp_path, swapped):
    root, outside = tmp_path / "ws", tmp_path / "out"
    (root / "d").mkdir(parents=True)
    (root / "other").mkdir()
    outside.mkdir()
    name = root / ("d/f" if swapped == "leaf" else "d")
    over, swaps = threading.Event(), 0

    def swap() -> None:
        nonlocal swaps
        evil = root / "evil"
        spare = root / "spare"
        while not over.is_set():
            if swapped == "leaf":
                evil.symlink_to(outside / "hit")
                evil.replace(name)
                spare.write_bytes(b"")
                spare.replace(name)
            else:
                name.rename(spare)
                name.symlink_to(outside)
                name.unlink()
                spare.rename(name)
            swaps += 2

    thread = threading.Thread(target=swap)
    thread.start()
    workspace = Workspace(root)
    written = refused = 0
    try:
        while swaps < 10_000:
            try:
                with workspace.place("d/f", writing=True) as place:
                    place.write(b"mine")
                    written += 1
            except (PathRefused, OSError):
                refused += 1
    finally:
        over.set()
        thread.join()
        workspace.close()
    assert list(outside.iterdir()) == []
    assert written
