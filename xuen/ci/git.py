"""The branch on the remote: what it holds, and a commit on top of it.

Owns every call of git. All of them work in a bare repository of their own in a temporary folder, so the checkout (its
files, index, refs, configuration) is never written to, and a shallow one is no different. Only the newest commit of
the branch is fetched.

What always holds: only the one branch is ever pushed, never the default branch and never by force, so a push onto a
branch that moved is rejected by the remote. The token reaches git through its environment, is for GitHub's own server
only where that is known, and appears in no command line, file or message. No call waits longer than its limit.
"""

from __future__ import annotations

import base64
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from xuen import redact
from xuen.ci.content import STATE, Content, Files
from xuen.errors import UsageError, UserError
from xuen.proc.environment import outside_git
from xuen.texts import Text, plain
from xuen.texts import ci as texts

SECONDS = 120.0
"""The limit of one call; the network's own limits end most troubles earlier."""

LATE = 150.0
"""Seconds: a step of the workflow has five minutes."""

_TIP = "refs/xuen/tip"
_NEW = "refs/xuen/new"
_IDENTITY = "xuen <xuen@localhost>"
_ENTRY = re.compile(rb"(\d{6}) blob ([0-9a-f]+)\t(.*)", re.DOTALL)


class GitFailed(UserError):
    """git could not do what was asked; the workspace is as it was."""

    exit_code = 1


class Remote:
    """One branch of one remote, as seen from the checkout `folder`; after `late` seconds nothing is tried once more.

    Raises, on entering:
        UsageError: no git, no such remote, or no name of a branch.
        GitFailed: git cannot work here.
    """

    def __init__(
        self, folder: Path, remote: str, branch: str, environ: Mapping[str, str], *, late: float = LATE
    ) -> None:
        self._folder = folder
        self._late = late
        self._name = remote
        self.branch = branch
        self._token = environ.get("GITHUB_TOKEN", "")
        self._environ = _environment(environ)
        self._url = ""
        self._home: tempfile.TemporaryDirectory[str] | None = None
        self._tip: str | None = None
        self._began = time.monotonic()
        self._is_other = False  # than the default branch, as the remote has said

    def __enter__(self) -> Self:
        if shutil.which("git", path=self._environ.get("PATH")) is None:
            raise UsageError(texts.NO_GIT, mend=texts.NO_GIT_MEND)
        self._url = self._find_url()
        self._environ |= _credentials(self._url, self._token, self._environ.get("GITHUB_SERVER_URL", ""))
        self._home = tempfile.TemporaryDirectory(prefix="xuen-git-", ignore_cleanup_errors=True)
        try:
            self._git("init", "--quiet", "--bare", "--template=", "--object-format=sha1", self._home.name, home=False)
            if self._git("check-ref-format", f"refs/heads/{self.branch}", check=False).returncode or (
                self.branch.startswith("-")
            ):
                raise UsageError(texts.BAD_BRANCH, where=self.branch)
        except BaseException:
            self._home.cleanup()
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        assert self._home is not None
        self._home.cleanup()

    def fetch(self) -> str | None:
        """Fetch the newest commit of the branch; its id, None when there is no such branch.

        Raises:
            UsageError: it is the default branch.
            GitFailed: the remote does not answer.
        """
        self._refuse_default()
        ref = f"+refs/heads/{self.branch}:{_TIP}"
        done = self._git("fetch", "--quiet", "--no-tags", "--depth=1", "--", self._url, ref, check=False)
        if done.returncode != 0:
            if b"couldn't find remote ref" in done.stderr:
                self._tip = None
                return None
            raise self._failed("fetch", plain(self._said(done.stderr)))
        self._tip = self._git("rev-parse", _TIP).stdout.decode().strip()
        return self._tip

    def files(self) -> Files:
        """What the fetched commit holds; plain files only, by path. Those that change are read at once.

        Raises:
            GitFailed: git failed.
        """
        if self._tip is None:
            return {}
        found: dict[str, Content] = {}
        for entry in self._git("ls-tree", "-r", "-z", self._tip).stdout.split(b"\0"):
            matched = _ENTRY.fullmatch(entry)
            if matched and matched[1].startswith(b"100"):
                oid = matched[2].decode()
                found[matched[3].decode(errors="surrogateescape")] = Content(oid, partial(self._read, oid))
        changing = {path: found[path] for path in STATE if path in found}
        read = self.read_many(list(changing.values()))
        return {**found, **{path: Content.of(read[each.oid]) for path, each in changing.items()}}

    def read_many(self, contents: Sequence[Content]) -> dict[str, bytes]:
        """The bytes of those blobs that the fetched commit holds, by their ids, with one call of git.

        Raises:
            GitFailed: git failed.
        """
        wanted = "".join(f"{content.oid}\n" for content in contents).encode()
        stream = self._git("cat-file", "--batch", given=wanted).stdout
        found, at = {}, 0
        while at < len(stream):
            end = stream.index(b"\n", at)
            oid, kind, *size = stream[at:end].decode().split(" ")
            at = end + 1
            if kind != "missing":
                found[oid] = stream[at : at + int(size[0])]
                at += int(size[0]) + 1
        return found

    def commit(self, changes: Mapping[str, Content | None], message: str, seconds: int) -> str:
        """Make a commit on the fetched one, or a first one; its id. `None` removes a file; `seconds` since 1970.

        Raises:
            GitFailed: git failed.
        """
        parts = [f"commit {_NEW}\ncommitter {_IDENTITY} {seconds} +0000\n".encode(), _data(message.encode())]
        if self._tip is not None:
            parts.append(f"from {self._tip}\n".encode())
        for path, content in changes.items():
            name = b'"' + path.encode(errors="surrogateescape").replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'
            if content is None:
                parts.append(b"D " + name + b"\n")
            else:
                parts += [b"M 100644 inline " + name + b"\n", _data(content.load())]
        self._git("fast-import", "--quiet", "--force", given=b"".join(parts))
        return self._git("rev-parse", _NEW).stdout.decode().strip()

    def push(self, commit: str) -> Text | None:
        """Push a commit to the branch; None when the remote accepted it, else the reason."""
        try:
            done = self._git(
                "push", "--quiet", "--no-verify", "--", self._url, f"{commit}:refs/heads/{self.branch}", check=False
            )
        except GitFailed as error:
            return error.what
        return None if done.returncode == 0 else plain(self._said(done.stderr))

    def is_late(self) -> bool:
        """Whether so much time has gone that a further attempt might not come to its end."""
        return time.monotonic() - self._began > self._late

    # --- parts of the above ----------------------------------------------------------------------------------------

    def _find_url(self) -> str:
        done = self._git("-C", str(self._folder), "remote", "get-url", "--", self._name, home=False, check=False)
        url = done.stdout.decode(errors="surrogateescape").strip() if done.returncode == 0 else self._name
        if re.match(r"[\w.+-]+://|(?:[^/\s]+@)?[\w.-]+:(?!/{3})", url):
            return url
        path = (self._folder / url).resolve()
        if not os.path.isdir(path):  # noqa: PTH112 - Path's raises for a name that is too long
            raise UsageError(texts.NO_REMOTE, where=redact.text(self._name), mend=texts.NO_REMOTE_MEND)
        return str(path)

    def _refuse_default(self) -> None:
        if self._is_other:
            return
        said = self._git("ls-remote", "--symref", "--", self._url, "HEAD").stdout.decode(errors="replace")
        if re.search(rf"^ref: refs/heads/{re.escape(self.branch)}\tHEAD$", said, re.MULTILINE):
            raise UsageError(texts.DEFAULT_BRANCH.of(branch=self.branch), mend=texts.DEFAULT_BRANCH_MEND)
        self._is_other = True

    def _read(self, oid: str) -> bytes:
        return self._git("cat-file", "blob", oid).stdout

    def _git(
        self, *words: str, given: bytes = b"", check: bool = True, home: bool = True
    ) -> subprocess.CompletedProcess[bytes]:
        argv = ["git", *self._options(), *words]
        env = self._environ | ({"GIT_DIR": self._home.name} if home and self._home is not None else {})
        command = words[2] if words[0] == "-C" else words[0]
        with subprocess.Popen(
            argv,
            env=env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as process:
            try:
                out, errors = process.communicate(given, timeout=SECONDS)
            except BaseException as error:
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)  # with the helpers that git started
                if isinstance(error, subprocess.TimeoutExpired):
                    raise self._failed(command, texts.SILENT.of(seconds=round(SECONDS))) from None
                raise
        done = subprocess.CompletedProcess(argv, process.returncode, out, errors)
        if check and done.returncode != 0:
            raise self._failed(command, plain(self._said(errors)))
        return done

    def _options(self) -> list[str]:
        return ["-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0", "-c", "protocol.version=2"]

    def _failed(self, command: str, reason: Text) -> GitFailed:
        return GitFailed(texts.GIT_FAILED.of(command=command, reason=reason), mend=texts.GIT_MEND)

    def _said(self, errors: bytes) -> str:
        """The relevant lines of what git printed, without secrets."""
        lines = [line.strip() for line in errors.decode(errors="replace").splitlines() if line.strip()]
        telling = [line for line in lines if re.match(r"(fatal|error|remote: error| ?!)|.*\[.*rejected", line)]
        said = " | ".join(dict.fromkeys((telling or lines)[:3])) or "?"
        said = redact.text(said)
        return said.replace(self._token, "***") if self._token else said


def _data(content: bytes) -> bytes:
    return b"data %d\n%s\n" % (len(content), content)


def _environment(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment for git: nothing that points to another repository, no prompts, and an end to slow transfers."""
    kept = {
        name: value
        for name, value in outside_git(environ).items()
        if name != "GITHUB_TOKEN" and not name.startswith("GIT_TRACE")
    }
    return kept | {
        "GIT_TERMINAL_PROMPT": "0",
        "GIT_HTTP_LOW_SPEED_LIMIT": "1000",
        "GIT_HTTP_LOW_SPEED_TIME": "20",
        "LC_ALL": "C",
    }


def _credentials(url: str, token: str, github: str) -> dict[str, str]:
    """The token as a header for the remote's own server only, as settings in the environment of git.

    `github` is the address of the server that the token is for, empty where nobody said it. An agent that changes
    the checkout's remote must not have the token sent elsewhere.
    """
    server = re.match(r"(https?)://(?:[^/@]+@)?([^/]+)", url)
    if not token or server is None or (github and github.rstrip("/").lower() != "://".join(server.groups()).lower()):
        return {}
    secret = base64.b64encode(f"x-access-token:{token}".encode()).decode()
    return {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"http.{server[1]}://{server[2]}/.extraheader",
        "GIT_CONFIG_VALUE_0": f"AUTHORIZATION: basic {secret}",
    }
