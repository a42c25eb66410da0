"""All changes of a patch or none: everything is worked out first, then written, and taken back when a write fails.

Always holds: after a failure every file has its old bytes and permissions, new files and folders are gone, and if
that could not be done either, the error says for which file. A file that changed after it was read is a conflict.
"""

from __future__ import annotations

import stat
from collections.abc import Callable, Sequence

import msgspec

from xuen.xwork.policy.paths import FolderMissing, PathRefused, Place, Workspace
from xuen.xwork.tools.outcome import HalfDone, ToolError
from xuen.xwork.tools.patch.grammar import Add, Change, Delete, Update
from xuen.xwork.tools.patch.placing import apply
from xuen.xwork.tools.text_file import LIMIT, TextFile, decode, encode


class Step(msgspec.Struct, frozen=True):
    """What happens to one name: from these bytes to those; None stands for no file."""

    path: str
    before: bytes | None
    after: bytes | None
    mode: int | None = None


def plan(changes: Sequence[Change], workspace: Workspace) -> tuple[list[Step], list[str]]:
    """What is to be done, and a line for each change that says it.

    Raises:
        ToolError, PathRefused: a change cannot be made; nothing was.
    """
    steps: list[Step] = []
    told: list[str] = []
    for change in changes:
        match change:
            case Add(path, content):
                steps.append(Step(path, None, encode(content)))
                told.append(f"A {path}")
            case Delete(path):
                before, mode = _read(workspace, path)
                steps.append(Step(path, before, None, mode))
                told.append(f"D {path}")
            case Update():
                steps += _update(workspace, change)
                told.append(f"M {change.path}" + (f" -> {change.move_to}" if change.move_to else ""))
    _check(steps, workspace)
    return steps, told


def carry_out(steps: Sequence[Step], workspace: Workspace) -> None:
    """Do all of it.

    Raises:
        HalfDone: it did not work, and the message says what could not be put back.
        ToolError: it did not work; everything is as it was.
    """
    undo: list[Callable[[], None]] = []
    try:
        for step in steps:
            _do(step, workspace, undo)
    except (ToolError, PathRefused, OSError) as error:
        if left := _take_back(undo):
            why = f"{error}. These could not be put back: {'; '.join(left)}."
            raise HalfDone(f"the patch was not applied as a whole: {why}") from error
        raise ToolError(f"the patch was not applied: {error}. Nothing was changed.") from error
    except BaseException:
        _take_back(undo)
        raise


def _update(workspace: Workspace, change: Update) -> list[Step]:
    before, mode = _read(workspace, change.path)
    after = before
    if change.chunks:
        file = decode(before, change.path)
        text = apply(file.text, change.chunks, change.path)
        encode(text)
        after = TextFile(text, file.bom).encode()
    if change.move_to is None:
        return [Step(change.path, before, after, mode)]
    return [Step(change.move_to, None, after, mode), Step(change.path, before, None, mode)]


def _read(workspace: Workspace, path: str) -> tuple[bytes, int]:
    with workspace.place(path, writing=True) as place:
        data = place.read(LIMIT)
        found = place.stat()
        return data, stat.S_IMODE(found.st_mode) if found else 0o644


def _check(steps: Sequence[Step], workspace: Workspace) -> None:
    """No file twice, under whatever names; and what is to be new must not be there."""
    seen: set[str] = set()
    for step in steps:
        try:
            with workspace.place(step.path, writing=True) as place:
                name, there = place.shown, place.stat() is not None
        except FolderMissing:
            if step.before is not None:
                raise
            name, there = step.path, False  # a folder on the way will be made
        if step.before is None and there:
            raise ToolError(f"{step.path} exists already; nothing was changed")
        if name in seen:
            raise ToolError(f"{step.path} is changed twice in one patch; nothing was changed")
        seen.add(name)


def _do(step: Step, workspace: Workspace, undo: list[Callable[[], None]]) -> None:
    with workspace.place(step.path, writing=True, create_parents=step.before is None) as place:
        for folder in place.made:
            undo.append(_remover_of_folder(workspace, folder))
        if step.before is None:
            place.write(step.after or b"", mode=step.mode, new=True)
            undo.append(_restorer(workspace, step))
        else:
            if place.read(LIMIT) != step.before:
                raise ToolError(f"{step.path} was changed by somebody else meanwhile")
            undo.append(_restorer(workspace, step))
            _write_or_remove(place, step.after, step.mode)


def _write_or_remove(place: Place, data: bytes | None, mode: int | None) -> None:
    if data is None:
        place.remove()
    else:
        place.write(data, mode=mode)


def _restorer(workspace: Workspace, step: Step) -> Callable[[], None]:
    def restore() -> None:
        with workspace.place(step.path, writing=True) as place:
            _write_or_remove(place, step.before, step.mode)

    return restore


def _remover_of_folder(workspace: Workspace, path: str) -> Callable[[], None]:
    def remove() -> None:
        with workspace.place(path) as place:
            place.remove_folder()

    return remove


def _take_back(undo: list[Callable[[], None]]) -> list[str]:
    """Undo in reverse order; what could not be undone."""
    left: list[str] = []
    while undo:
        try:
            undo.pop()()
        except (PathRefused, OSError) as error:
            left.append(str(error))
    return left
