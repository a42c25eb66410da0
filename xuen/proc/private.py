"""A private folder for one command, outside the workspace, removed with all that the command left in it.

Owns the place: below the system's temporary folder, one folder for each workspace, and in it a numbered one for each
command that runs. Always: only this user can look into it (mode 0700), and another user's folder of that name is not
used. What a killed run left is removed at the next start. Names repeat from call to call, since agents keep a record
for each folder that they worked in. They are short, since the path of a socket has at most 107 bytes.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from itertools import count
from pathlib import Path


@contextlib.contextmanager
def private_folder(workspace: Path) -> Iterator[Path]:
    """An empty folder for one command that works for `workspace`.

    Raises:
        OSError: it cannot be made.
    """
    folder = _numbered(workspace)
    try:
        yield folder
    finally:
        _remove(folder)
        with contextlib.suppress(OSError):  # another command still has its folder there
            folder.parent.rmdir()


def remove_stale_folders(workspace: Path) -> None:
    """Remove the folders that a killed run left. The caller holds the lock of the workspace.

    What cannot be removed stays, and the next start tries again.
    """
    root = _root(workspace)
    if _is_ours(root):
        _remove(root)


def _numbered(workspace: Path) -> Path:
    """A new folder with the lowest free number."""
    while True:
        root = _root(workspace)
        with contextlib.suppress(FileExistsError):
            root.mkdir(0o700)
        if not _is_ours(root):
            root = Path(tempfile.mkdtemp(prefix=f"{root.name}-"))
        with contextlib.suppress(FileNotFoundError):  # the command that was its last has just ended
            return _first_free(root)


def _first_free(root: Path) -> Path:
    for number in count(1):
        with contextlib.suppress(FileExistsError):
            folder = root / str(number)
            folder.mkdir(0o700)
            return folder
    raise AssertionError


def _root(workspace: Path) -> Path:
    """The folder of a workspace; it need not be there."""
    digest = hashlib.sha256(os.path.realpath(os.fsencode(workspace))).hexdigest()[:12]
    return Path(os.path.realpath(tempfile.gettempdir())) / f"xuen-{os.geteuid()}-{digest}"


def _is_ours(root: Path) -> bool:
    """Whether it is a folder that nobody but this user could have made or can look into."""
    try:
        found = root.lstat()
    except OSError:
        return False
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077


def _remove(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    if not folder.exists():
        return
    _make_writable(folder)
    for place, names, _ in os.walk(folder):
        for name in names:
            _make_writable(Path(place, name))
    shutil.rmtree(folder, ignore_errors=True)


def _make_writable(folder: Path) -> None:
    """Let its owner change a folder; a command may leave some that even its owner may not change."""
    with contextlib.suppress(OSError):
        if not folder.is_symlink():
            folder.chmod(0o700)
