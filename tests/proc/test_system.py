"""What the system does to a run: it freezes it, or it does not show its processes."""

import contextlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

ROOT = Path(__file__).resolve().parents[2]

FROZEN = """
import os, sys, threading
from pathlib import Path
from xuen.proc.command import Listener, run
ended = run(["/bin/sh", "-c", sys.argv[1]], cwd=Path("."), env=dict(os.environ), listener=Listener(),
            cancel=threading.Event(), timeout=float(sys.argv[2]), idle_timeout=float(sys.argv[3]))
print(ended.why.value, ended.seconds < 60)
"""


@pytest.mark.parametrize(("timeout", "idle"), [(5, 0), (0, 5)])
def test_time_in_which_nothing_ran_does_not_count(timeout, idle, tmp_path):
    script = "touch began; i=0; while [ $i -lt 10 ]; do i=$((i + 1)); sleep 0.1; done"
    argv = [sys.executable, "-c", FROZEN, script, str(timeout), str(idle)]
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(argv, cwd=tmp_path, env=env, stdout=subprocess.PIPE, text=True) as host:
        while not (tmp_path / "began").exists():
            time.sleep(0.01)
        frozen = [psutil.Process(host.pid), *psutil.Process(host.pid).children(recursive=True)]
        for step in (psutil.Process.suspend, psutil.Process.resume):
            for process in frozen:
                with contextlib.suppress(psutil.NoSuchProcess):  # one of the short sleeps
                    step(process)
            time.sleep(6 if step is psutil.Process.suspend else 0)
        assert host.communicate()[0] == "ok True\n"


def without_proc(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """A call of xuen where /proc is there and empty."""
    script = 'mount -t tmpfs none /proc && exec "$@"'
    argv = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    return subprocess.run(
        [*argv, sys.executable, str(ROOT / "main.py"), *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def test_without_a_view_of_processes_a_run_ends_in_one_line_that_says_what_to_do(tmp_path):
    if (
        not shutil.which("unshare")
        or subprocess.run(
            ["unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/proc"], check=False
        ).returncode
    ):
        pytest.skip("no namespace can be made here")
    (tmp_path / "config.yaml").write_text("agent:\n  command: ': \"$prompt\"; touch began'\n")
    done = without_proc("a task", "--no-tui", cwd=tmp_path)
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert done.stderr.startswith("xuen: /proc cannot be read") and "mount -t proc proc /proc" in done.stderr
    assert not (tmp_path / "workspace").exists()
    asked = without_proc("doctor", cwd=tmp_path)
    assert asked.returncode == 1 and "!!  system " in asked.stdout
    assert without_proc("history", cwd=tmp_path).returncode in (0, 2)
