"""Overwrites one section of the research.md beside this file with what comes from standard input.

    python write_section.py idea < new_text
    python write_section.py artifact --allow-empty < /dev/null

The other section and all text around both stay as they are, byte for byte. One final newline of the input is not
content. Ends with 0: written; 2: bad use, empty input without --allow-empty, a marker line in the input, a damaged
research.md, or a disk that refuses; 3: the lock was not had within 30 seconds; 4: called by an agent whose run is
over. With anything but 0 nothing was changed, save where only the disk's very last sync failed, and one line on
standard error says why.

xuen writes this file anew at each start; a change made here does not last.
"""

# Within xuen this is `xuen.workspace.section_script`, copied out as it stands. It uses the standard library only and
# runs on Python 3.8. `try_lock` and `open_locked` are the text of `xuen.files.lock`; a test holds them together.

from __future__ import annotations

import json
import os
import secrets
import stat
import sys
import time
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

MARKERS = (
    b"<!-- XUEN:IDEA:BEGIN -->",
    b"<!-- XUEN:IDEA:END -->",
    b"<!-- XUEN:ARTIFACT:BEGIN -->",
    b"<!-- XUEN:ARTIFACT:END -->",
)
SECTIONS = ("idea", "artifact")
RUN_LOCK = ".xuen.lock"  # from this file's folder; xuen puts another path here where it installs the program elsewhere
LOCK_SECONDS = 30.0
_BOM = b"\xef\xbb\xbf"


class Refused(Exception):
    """Nothing is written; `code` is the exit code, `en` and `zh` say why."""

    def __init__(self, code: int, en: str, zh: str) -> None:
        super().__init__(en)
        self.code = code
        self.en = en
        self.zh = zh


def marker_lines(data: bytes) -> list[tuple[int, int, int, int]]:
    """Every marker line: which marker, where its line starts and ends (newline included), its number from 1.

    A line ends with LF. Spaces, tabs and CR behind a marker and a BOM before the first line do not matter.
    """
    found = []
    start = 0
    for number, line in enumerate(data.split(b"\n"), 1):
        text = line.rstrip(b" \t\r")
        if number == 1 and text.startswith(_BOM):
            text = text[len(_BOM) :]
        end = start + len(line) + 1
        if text in MARKERS:
            found.append((MARKERS.index(text), start, min(end, len(data)), number))
        start = end
    return found


def section_spans(data: bytes) -> dict[str, tuple[int, int]]:
    """Where the text of each section starts and ends, its last newline included.

    Raises:
        Refused: the file is damaged: not UTF-8, or not exactly one of each marker in their order.
    """
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise Refused(2, f"line {line} is not UTF-8", f"第 {line} 行不是 UTF-8") from None
    found = marker_lines(data)
    for index, marker in enumerate(MARKERS):
        lines = [str(number) for which, _, _, number in found if which == index]
        name = marker.decode()
        if not lines:
            raise Refused(2, f"the marker line {name} is missing", f"缺少标记行 {name}")
        if len(lines) > 1:
            where = ", ".join(lines)
            raise Refused(2, f"the marker line {name} stands on lines {where}", f"标记行 {name} 出现在第 {where} 行")
    if [which for which, _, _, _ in found] != [0, 1, 2, 3]:
        raise Refused(2, "the marker lines are out of order", "标记行的顺序不对")
    return {"idea": (found[0][2], found[1][1]), "artifact": (found[2][2], found[3][1])}


def with_section(data: bytes, section: str, content: bytes) -> bytes:
    """The file with another content in one section.

    Raises:
        Refused: the file is damaged, or the content is not UTF-8 or holds a marker line.
    """
    start, end = section_spans(data)[section]
    check_content(content)
    return data[:start] + content + (b"\n" if content else b"") + data[end:]


def check_content(content: bytes) -> None:
    """Raises `Refused` for what no section can hold: bytes that are not UTF-8, or a line that is a marker."""
    try:
        content.decode("utf-8")
    except UnicodeDecodeError as error:
        at = error.start
        raise Refused(2, f"byte {at} of the text is not UTF-8", f"内容的第 {at} 个字节不是 UTF-8") from None
    # Not at the start of a file here, so a BOM before a marker makes it an ordinary line.
    for number, line in enumerate(content.split(b"\n"), 1):
        if line.rstrip(b" \t\r") in MARKERS:
            raise Refused(2, f"line {number} of the text is a marker line", f"内容的第 {number} 行是标记行")


def try_lock(descriptor: int) -> bool:
    """Take the exclusive lock of an open file without waiting; whether it was had.

    Raises:
        OSError: the file system cannot lock (ENOLCK, ESTALE, …).
    """
    if sys.platform == "win32":
        os.lseek(descriptor, 1 << 30, os.SEEK_SET)  # behind any content, which others may then still read
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
    else:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def open_locked(path: Path, wait: float | None) -> int:
    """Open the lock file, make it if it is missing, and hold its lock; closing the descriptor ends it.

    `wait` is the longest time in seconds, None is without end.

    Raises:
        TimeoutError: it stayed held.
        OSError: the file cannot be opened, is a symbolic link, or cannot be locked.
    """
    deadline = None if wait is None else time.monotonic() + wait
    flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
    while True:
        descriptor = os.open(path, flags, 0o666)
        try:
            if try_lock(descriptor):
                # Whoever deleted or replaced the file while we waited left us with a lock that nobody else sees.
                ours, named = os.fstat(descriptor), path.lstat()
                if (ours.st_dev, ours.st_ino) == (named.st_dev, named.st_ino):
                    held, descriptor = descriptor, -1
                    return held
        except FileNotFoundError:
            pass
        finally:
            if descriptor >= 0:
                os.close(descriptor)
        if deadline is not None and time.monotonic() >= deadline:
            raise TimeoutError(str(path))
        time.sleep(0.01)


def run_is_over(run_lock: Path, token: str) -> bool:
    """Whether the run with this token does not own the workspace (any more).

    A run that ended empties the lock file; one that was killed leaves its token there, but not its lock. Where the
    file was deleted under a run, the lock that the run has on the folder says that it lives.
    """
    flags = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        try:
            descriptor = os.open(run_lock, flags | os.O_RDWR)
        except OSError:  # read-only in a sandbox, where it can be locked all the same
            descriptor = os.open(run_lock, flags | os.O_RDONLY)
    except FileNotFoundError:
        return not folder_is_held(run_lock.parent)
    try:
        try:
            holder = json.loads(os.read(descriptor, 65536).decode("utf-8"))
        except ValueError:
            return True
        return not isinstance(holder, dict) or holder.get("run") != token or try_lock(descriptor)
    finally:
        os.close(descriptor)


def folder_is_held(folder: Path) -> bool:
    """Whether some process has the lock of the folder itself; False where folders cannot be locked."""
    try:
        descriptor = os.open(folder, os.O_RDONLY | getattr(os, "O_CLOEXEC", 0))
    except OSError:
        return False
    try:
        return not try_lock(descriptor)
    except OSError:
        return False
    finally:
        os.close(descriptor)


def read_file(path: Path) -> bytes:
    """A regular file's content; nothing else is waited for.

    Raises:
        Refused: a folder, a pipe or the like stands there.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            raise Refused(2, "it is not a regular file", "它不是普通文件")
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read()
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Put `data` in the place of `path`, whole and on the disk; a symbolic link there is replaced, not followed."""
    temporary = path.with_name(f".xuen-{secrets.token_hex(8)}.tmp")
    flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o666)
    try:
        try_lock(descriptor)  # shows whoever cleans up that this file is in use
        seen = path.lstat().st_mode
        if stat.S_ISREG(seen) and hasattr(os, "fchmod"):
            os.fchmod(descriptor, stat.S_IMODE(seen))
        view = memoryview(data)
        while view:
            view = view[os.write(descriptor, view) :]
        os.fsync(descriptor)
        if os.name == "nt":  # no open file can be renamed there
            os.close(descriptor)
            descriptor = -1
        temporary.replace(path)
    finally:
        if descriptor >= 0:
            os.close(descriptor)
        if temporary.exists():
            temporary.unlink()
    if os.name != "nt":
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)


def write_section(workspace: Path, section: str, content: bytes, token: str) -> None:
    """Replace one section under the lock; `token` is that of the calling agent's run, empty for a person.

    Raises:
        Refused: nothing was changed.
    """
    check_content(content)
    try:
        lock = open_locked(workspace / ".research.lock", LOCK_SECONDS)
    except TimeoutError:
        raise Refused(3, "another process keeps .research.lock", "另一个进程一直占用 .research.lock") from None
    except OSError as error:
        raise Refused(3, f".research.lock cannot be locked: {error}", f"无法锁定 .research.lock：{error}") from None
    try:
        if token and run_is_over(workspace / RUN_LOCK, token):
            raise Refused(4, "the run that started this agent is over", "启动这个 agent 的运行已经结束")
        path = workspace / "research.md"
        try:
            data = read_file(path)
            new = with_section(data, section, content)
        except FileNotFoundError:
            raise Refused(2, "there is no research.md", "没有 research.md") from None
        except Refused as damage:
            raise Refused(2, f"research.md is damaged: {damage.en}", f"research.md 已损坏：{damage.zh}") from None
        if new != data:
            replace_file(path, new)
    finally:
        os.close(lock)


def main(arguments: list[str]) -> int:
    """Read the command line and standard input, write the section, return the exit code."""
    try:
        allow_empty = "--allow-empty" in arguments
        names = [each for each in arguments if each != "--allow-empty"]
        if len(names) != 1 or names[0] not in SECTIONS:
            usage = "python write_section.py idea|artifact [--allow-empty] < TEXT"
            raise Refused(2, f"use it as: {usage}", f"用法：{usage}")
        content = sys.stdin.buffer.read() if sys.stdin is not None else b""
        if content.endswith(b"\n"):
            content = content[:-1]
        if not content and not allow_empty:
            raise Refused(2, "the text is empty (--allow-empty permits that)", "内容为空（--allow-empty 允许清空）")
        # Where this very file lies, whatever the current folder is and through whatever link it was called.
        write_section(Path(__file__).resolve().parent, names[0], content, os.environ.get("XUEN_RUN", ""))
    except Refused as refused:
        code, en, zh = refused.code, refused.en, refused.zh
    except OSError as error:
        code, en, zh = 2, f"research.md cannot be written: {error}", f"无法写入 research.md：{error}"
    else:
        return 0
    complain(f"write_section.py: {en} / {zh}\n".replace("\r", " "))
    return code


def complain(line: str) -> None:
    """Say it on standard error, where there is one: the exit code counts, also when nobody can be told why."""
    try:
        if sys.stderr is not None:
            os.write(sys.stderr.fileno(), line.encode(sys.stderr.encoding or "utf-8", "backslashreplace"))
    except (OSError, ValueError):
        pass


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
