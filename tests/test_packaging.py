"""What a release holds: built without a network from what git tracks, then used as an installed xuen is."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from xuen import __version__

ROOT = Path(__file__).parents[1]


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (ROOT / name).exists()]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the wheel and the source archive of the tracked files."""
    source, made = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("release")
    for name in tracked():
        (source / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, source / name, follow_symlinks=False)
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", made], cwd=source, check=True, capture_output=True
    )
    return made


def test_the_source_archive_holds_all_that_is_tracked(release: Path) -> None:
    [archive] = release.glob("*.tar.gz")
    with tarfile.open(archive) as files:
        names = {name.partition("/")[2] for name in files.getnames()}
    assert names - {"PKG-INFO"} == set(tracked())


def test_a_part_of_the_tests_passes_in_the_unpacked_archive(
    release: Path, tmp_path: Path, environment: Callable
) -> None:
    [archive] = release.glob("*.tar.gz")
    shutil.unpack_archive(archive, tmp_path, filter="data")
    [source] = tmp_path.iterdir()
    argv = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/config", "tests/test_words.py"]
    done = subprocess.run(
        argv, cwd=source, env=environment(PYTHONPATH=""), capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stdout[-2000:]


def test_the_wheel_holds_the_whole_package_and_makes_a_configuration(
    release: Path, tmp_path: Path, environment: Callable
) -> None:
    [wheel] = release.glob("*.whl")
    site, here = tmp_path / "site", tmp_path / "here"
    here.mkdir()
    with zipfile.ZipFile(wheel) as files:
        names = {name for name in files.namelist() if ".dist-info/" not in name}
        files.extractall(site)
    assert names == {name for name in tracked() if name.startswith("xuen/")}

    def installed(*words: str) -> subprocess.CompletedProcess[str]:
        argv = [sys.executable, "-m", "xuen", *words]
        env = environment(PYTHONPATH=str(site))
        return subprocess.run(argv, cwd=here, env=env, capture_output=True, text=True, timeout=60, check=False)

    assert installed("--version").stdout == f"xuen {__version__}\n"
    assert installed("init").returncode == 0
    assert (here / "config.yaml").read_bytes() == (ROOT / "config.example.yaml").read_bytes()
    assert str(here / "config.yaml") in installed("doctor").stdout
