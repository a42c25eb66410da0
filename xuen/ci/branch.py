"""`restore` and `checkpoint`: the workspace and its branch made the same.

Owns the order of things. The branch and the workspace are merged (`merge`), the result is pushed as one commit on top
of the branch, and only when the remote has accepted it is the workspace brought up to date. A push that is rejected is
merged anew with what the branch holds now and tried again, a bounded number of times; so is a remote that does not
answer. A stop, a kill or a failure at any point leaves both the branch and the workspace whole, and the next call goes
on from there.

Safe beside a run that still holds the workspace: then a checkpoint pushes what is there and changes no file.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from xuen.ci import content as names
from xuen.ci.content import Content, Files, is_candidate, is_log, is_talk, of_workspace, old_talk, travels
from xuen.ci.git import GitFailed, Remote
from xuen.ci.merge import BASE, Merged, merge
from xuen.errors import UsageError, WorkspaceBusy, WorkspaceError, reason_of
from xuen.files.durable import make_folder, write_bytes
from xuen.files.jsonl import parse_lines
from xuen.files.regular import read_regular
from xuen.guard.history import timestamp
from xuen.texts import Language, Text, plain
from xuen.texts import ci as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock
from xuen.workspace.setup import make_workspace

BASE_FILE = ".xuen-ci.json"
"""In the workspace, never on the branch: what it and the branch had in common last."""

_WITHOUT_A_WORKSPACE = {"README.md", "LICENSE", ".gitignore", ".gitattributes", ".gitkeep"}

_READS = 3
"""How often a remote that does not answer is asked for the branch."""

Say = Callable[[Text], None]
Pause = Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Kept:
    """What a checkpoint did; `commit` is None where there was nothing to push."""

    commit: str | None
    changed: int
    merged: Merged


def restore(folder: Path, remote: Remote, say: Say, *, pause: Pause = time.sleep) -> None:
    """Bring the workspace in `folder` up to date with the branch; rounds that only the workspace has stay in it.

    Raises:
        WorkspaceBusy: a run holds it.
        WorkspaceError: a file in it cannot be read or written.
        UsageError: the branch holds something else.
        GitFailed: the remote does not answer.
    """
    workspace = make_workspace(folder)
    with RunLock(workspace, "restore"), _files_of(workspace):
        tip = _fetch(remote, say, pause)
        theirs = _theirs(remote)
        if not theirs:
            say((texts.NO_BRANCH_YET if tip is None else texts.EMPTY_BRANCH).of(branch=remote.branch))
        ours = of_workspace(workspace.root)
        merged = _merge(ours, theirs, _read_base(workspace))
        written = _write(workspace, ours, merged.files, remote)
        _write_base(workspace, theirs)
    if tip is not None and theirs:
        say(texts.RESTORED.of(count=written, branch=remote.branch, commit=tip[:9]))


def checkpoint(folder: Path, remote: Remote, say: Say, *, attempts: int, pause: Pause = time.sleep) -> Kept | None:
    """Push what the workspace in `folder` has to the branch; None where there is no workspace yet.

    Raises:
        WorkspaceError: a file in it cannot be read or written.
        UsageError: the branch holds something else.
        GitFailed: the branch was not pushed; the workspace is as it was.
    """
    workspace = Workspace(folder.absolute())
    with _files_of(workspace):
        if not folder.is_dir():
            return None
    with _lock_if_free(workspace) as free, _files_of(workspace):
        ours = of_workspace(workspace.root)
        if not ours:
            return None
        kept = _push(workspace, ours, remote, say, attempts=attempts, pause=pause)
        if free:
            _write(workspace, ours, kept.merged.files, remote)
            _write_base(workspace, kept.merged.files)
    return kept


def _push(
    workspace: Workspace,
    ours: Files,
    remote: Remote,
    say: Say,
    *,
    attempts: int,
    pause: Pause,
) -> Kept:
    base, reason, made = _read_base(workspace), plain(""), 0
    for attempt in _attempts(remote, attempts, pause):
        try:
            tip = remote.fetch()
            theirs = _theirs(remote)
            merged = _merge(ours, theirs, base)
            changes = _changes(theirs, merged)
            if not changes:
                return Kept(None, 0, merged)
            commit = remote.commit(changes, _message(merged), int(time.time()))
            refused = remote.push(commit)
        except GitFailed as error:
            refused = error.what
        else:
            if refused is None:
                if merged.diverged and tip is not None:
                    say(texts.MERGED.of(theirs=merged.theirs_new, ours=merged.ours_new))
                return Kept(commit, len(changes), merged)
        reason, made = refused, attempt
        say(texts.REJECTED_AGAIN.of(attempt=attempt, attempts=attempts, reason=reason))
    raise GitFailed(texts.NOT_PUSHED.of(branch=remote.branch, attempts=made, reason=reason), mend=texts.NOT_PUSHED_MEND)


def _fetch(remote: Remote, say: Say, pause: Pause) -> str | None:
    """The newest commit of the branch, asked for more than once where the remote does not answer."""
    for attempt in _attempts(remote, _READS, pause):
        try:
            return remote.fetch()
        except GitFailed as error:
            failed = error
            say(texts.NO_ANSWER.of(attempt=attempt, attempts=_READS, reason=error.what))
    raise failed


def _attempts(remote: Remote, count: int, pause: Pause) -> Iterator[int]:
    """1, 2, … up to `count`, with pauses between that grow; fewer when it gets late."""
    for attempt in range(1, count + 1):
        yield attempt
        if attempt == count or remote.is_late():
            return
        pause(random.uniform(0.5, 1) * min(2 ** (attempt - 1), 10))  # so that two rejected ones do not meet again


def _theirs(remote: Remote) -> Files:
    """The files of the fetched commit.

    Raises:
        UsageError: they are somebody else's.
    """
    files = remote.files()
    foreign = [path for path in files if not travels(path) and path not in _WITHOUT_A_WORKSPACE]
    if foreign and not any(travels(path) for path in files):
        raise UsageError(
            texts.FOREIGN_BRANCH.of(branch=remote.branch, path=plain(repr(foreign[0]))),
            mend=texts.DEFAULT_BRANCH_MEND,
        )
    return files


def _merge(ours: Files, theirs: Files, base: Mapping[str, bytes] | None) -> Merged:
    now = timestamp(datetime.now(UTC))
    return merge(ours, theirs, base, now=now, language=_language(theirs) or _language(ours) or "en")


def _language(files: Files) -> Language | None:
    """The language that the latest run spoke."""
    if names.HISTORY not in files:
        return None
    for line in reversed(parse_lines(files[names.HISTORY].load())):
        if line.get("event") == "run_started" and line.get("language") in ("en", "zh"):
            return "zh" if line["language"] == "zh" else "en"
    return None


def _changes(theirs: Files, merged: Merged) -> dict[str, Content | None]:
    """What the commit changes: new and changed files, and talk that got too old; `None` removes."""
    wanted: dict[str, Content] = dict(merged.files)
    for path, text in ((names.VERDICTS, texts.VERDICTS_HEAD), (names.README, texts.BRANCH_README)):
        if path not in wanted and path not in theirs:  # GitHub can only edit a file that is there
            wanted[path] = Content.of(f"{text.en}\n{text.zh}\n".encode())
    for path in old_talk(wanted):
        del wanted[path]
    changes: dict[str, Content | None] = {
        path: each for path, each in wanted.items() if path not in theirs or theirs[path].oid != each.oid
    }
    for path in theirs:
        if travels(path) and path not in wanted:
            changes[path] = None
    return changes


def _message(merged: Merged) -> str:
    best = merged.best
    if best is None:
        return "checkpoint: no best yet\n"
    score = "" if best.score is None else f" ({best.score:g})"
    return f"checkpoint: {merged.ours_new} history lines, best {best.id}{score}\n"


# --- the workspace's own files --------------------------------------------------------------------------------------


def _write(workspace: Workspace, ours: Files, merged: Files, remote: Remote) -> int:
    """Write the merged files into the workspace, candidates before what follows from them; how many were written."""
    order = sorted(
        (path for path, each in merged.items() if path not in ours or ours[path].oid != each.oid),
        key=lambda path: (not is_candidate(path), path != names.HISTORY, path),
    )
    # A candidate of this run that got another name is written before the branch's one takes its old name.
    order.sort(key=lambda path: path in ours)
    fetched = remote.read_many([merged[path] for path in order])
    written = 0
    for path in order:
        if is_log(path) and path in ours:  # the whole of what the branch has a copy of
            continue
        data = fetched.get(merged[path].oid)
        _put(workspace.root / path, merged[path].load() if data is None else data, new=path not in ours)
        written += 1
    for path in ours:
        if path not in merged and not is_talk(path):
            (workspace.root / path).unlink(missing_ok=True)
    return written


def _put(target: Path, data: bytes, *, new: bool) -> None:
    """Write a file. New candidates, prompts and logs need not reach the disk one by one.

    They come from the branch, and a half one is known by its beginning and replaced by the next merge.
    """
    make_folder(target.parent)
    if new and (is_candidate(f"rounds/{target.name}") or target.parent.name in ("prompts", "logs")):
        target.unlink(missing_ok=True)  # never through a link
        target.write_bytes(data)
    else:
        write_bytes(target, data)


def _read_base(workspace: Workspace) -> dict[str, bytes] | None:
    try:
        value = json.loads(read_regular(workspace.root / BASE_FILE))
        return {str(path): str(text).encode("utf-8", "surrogateescape") for path, text in value["files"].items()}
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None


def _write_base(workspace: Workspace, files: Files) -> None:
    kept = {path: files[path].load().decode("utf-8", "surrogateescape") for path in BASE if path in files}
    write_bytes(workspace.root / BASE_FILE, json.dumps({"files": kept}).encode())


@contextmanager
def _lock_if_free(workspace: Workspace) -> Iterator[bool]:
    """Own the workspace while the body runs, where no run does; whether it is owned."""
    lock = RunLock(workspace, "checkpoint")
    owned = False
    with suppress(WorkspaceBusy):
        lock.acquire()
        owned = True
    try:
        yield owned
    finally:
        if owned:
            lock.release()


@contextmanager
def _files_of(workspace: Workspace) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        where = str(error.filename or workspace.root)
        raise WorkspaceError(texts.UNREADABLE.of(reason=reason_of(error)), where=where) from None
