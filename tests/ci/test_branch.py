"""restore and checkpoint against a real git remote."""

from __future__ import annotations

import base64
import json
import os
import shutil
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from xuen.ci.branch import checkpoint, restore
from xuen.ci.git import GitFailed
from xuen.errors import UsageError, WorkspaceBusy, WorkspaceError
from xuen.workspace.inbox import peek, put
from xuen.workspace.paths import Workspace
from xuen.workspace.run_lock import RunLock

if TYPE_CHECKING:
    from conftest import Hub, Machine


def snapshots(files: dict[str, bytes]) -> dict[str, bytes]:
    return {path: data for path, data in files.items() if path.startswith("rounds/cand-")}


def local(machine: Machine) -> dict[str, bytes]:
    return {path: data for path, data in machine.play.files().items() if not path.endswith(".lock")}


def events(lines: list[dict[str, Any]]) -> list[tuple[str, str]]:
    return [(line["event"], line.get("id", "")) for line in lines]


def idea_of(data: bytes) -> str:
    return data.split(b"XUEN:IDEA:BEGIN -->\n")[1].split(b"<!--")[0].decode().strip()


def everything_is_there(hub: Hub, *machines: Machine) -> None:
    """All candidates of all machines, all their lines, numbers that only rise, and one best that is intact."""
    told, kept = hub.history(), snapshots(hub.files())
    numbers = [line["seq"] for line in told]
    assert numbers == sorted(set(numbers))
    published = {json.dumps({**line, "seq": 0}, sort_keys=True) for line in told}
    for line in told:
        first = {**line, "seq": 0}
        for name in ("id", "parent"):
            if f"from_{name}" in first:
                first[name] = first.pop(f"from_{name}")
        first.pop("from_seq", None)
        published.add(json.dumps(first, sort_keys=True))
    for machine in machines:
        for line in machine.play.lines():
            assert json.dumps({**line, "seq": 0}, sort_keys=True) in published, line
        assert set(snapshots(local(machine)).values()) <= set(kept.values())
    last = [line for line in told if line["event"] in ("adopted", "baseline")][-1]
    best = hub.best()
    assert (best["seq"], best["id"], best["sha256"]) == (last["seq"], last["id"], last["sha256"])
    assert hub.read("rounds/best.md") == kept[f"rounds/cand-{best['id']}.md"]


# --- one machine after the other -------------------------------------------------------------------------------------


def test_a_workspace_that_cannot_even_be_looked_at_is_told(hub: Hub) -> None:
    machine = hub.machine("a")
    with machine.remote() as remote, pytest.raises(WorkspaceError, match="File name too long"):
        checkpoint(hub.folder / ("x" * 300), remote, machine.say, attempts=1)


def test_a_missing_branch_is_a_new_workspace_and_is_made_by_the_first_checkpoint(hub: Hub) -> None:
    first = hub.machine("first")
    first.restore()
    assert first.said == ["the branch xuen-loop does not exist yet: a new workspace"]
    first.run(("one", 8), ("two", 3), ("three", 9))
    kept = first.checkpoint()
    assert kept is not None
    assert kept.commit == hub.tip()
    everything_is_there(hub, first)
    assert idea_of(hub.read("research.md")) == "three"
    assert hub.git("log", "--format=%an", "xuen-loop").split() == ["xuen"]


def test_the_next_run_goes_on_where_the_last_one_ended(hub: Hub) -> None:
    first = hub.machine("first")
    first.run(("one", 8))
    first.checkpoint()
    second = hub.machine("second", hour=7)
    second.restore()
    wanted = {path: data for path, data in local(first).items() if path in hub.files()}
    found = {path: data for path, data in local(second).items() if path in hub.files() and path in wanted}
    assert found == wanted
    assert second.workspace.joinpath("rounds/history.jsonl").read_bytes() == hub.read("rounds/history.jsonl")
    second.run(("two", 9))
    assert second.play.lines("recovered") == [], "there was nothing to mend"
    second.checkpoint()
    everything_is_there(hub, first, second)
    assert [line["round"] for line in hub.history() if line["event"] == "candidate"] == [1, 2]
    assert len(hub.git("log", "--format=%H", "xuen-loop").split()) == 2


def test_a_branch_without_files_is_a_new_workspace_too(hub: Hub) -> None:
    hub.git("update-ref", "refs/heads/xuen-loop", hub.git("commit-tree", "-m", "empty", empty_tree(hub)).strip())
    machine = hub.machine("only")
    machine.restore()
    assert machine.said == ["the branch xuen-loop is empty: a new workspace"]
    machine.run(("one", 8))
    machine.checkpoint()
    everything_is_there(hub, machine)
    assert len(hub.git("log", "--format=%H", "xuen-loop").split()) == 2


def empty_tree(hub: Hub) -> str:
    return hub.git("hash-object", "-t", "tree", "-w", "/dev/null").strip()


def test_neither_the_checkout_nor_the_default_branch_is_touched(hub: Hub) -> None:
    machine = hub.machine("only")
    before = (hub.tip("main"), tree_of(machine.checkout))
    machine.restore()
    machine.run(("one", 8))
    machine.checkpoint()
    machine.checkpoint()
    assert (hub.tip("main"), tree_of(machine.checkout)) == before
    assert sorted(hub.git("for-each-ref", "--format=%(refname)").split()) == ["refs/heads/main", "refs/heads/xuen-loop"]


def tree_of(checkout: Path) -> dict[str, bytes]:
    """Every file of a checkout but the workspace, git's own among them."""
    return {
        str(path.relative_to(checkout)): path.read_bytes()
        for path in checkout.rglob("*")
        if path.is_file() and "workspace" not in path.relative_to(checkout).parts
    }


def test_only_what_the_next_run_needs_travels(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    left = ["secret.env", ".xuen-abc.tmp", ".xuen-prompt-1.txt", "node_modules/x.js", ".xwork/session.jsonl"]
    left += ["rounds/.xuen-abc.tmp", "rounds/notes.md", "rounds/cand-../x.md", "write_section.py", ".research.lock"]
    for name in left:
        path = machine.workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    (machine.workspace / "rounds/history.jsonl.damaged-20261130-101112").write_text("old")
    (machine.workspace / "words.txt").symlink_to("/etc/hostname")
    machine.checkpoint()
    names = set(hub.files())
    assert "rounds/history.jsonl.damaged-20261130-101112" in names
    assert not names & set(left)
    assert not {name for name in names if "lock" in name or name.startswith(".") or name == "words.txt"}


def test_nothing_new_makes_no_commit_and_no_workspace_makes_none_either(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.workspace.rmdir()
    assert machine.checkpoint() is None
    machine.workspace.mkdir()
    assert machine.checkpoint() is None
    machine.run(("one", 8))
    machine.checkpoint()
    tip = hub.tip()
    again = machine.checkpoint()
    assert again is not None
    assert again.commit is None
    assert hub.tip() == tip


# --- machines at the same time ---------------------------------------------------------------------------------------


def test_two_runs_that_push_at_once_both_keep_everything(hub: Hub) -> None:
    start = hub.machine("start", hour=1)
    start.run(("common", 8))
    start.checkpoint()
    one, two = hub.machine("one", hour=2), hub.machine("two", hour=3)
    for machine in (one, two):
        machine.restore()
    one.run(("one a", 8), ("one b", 2), ("one c", 7))
    two.run(("two a", 9), ("two b", 4))
    before = {machine.checkout.name: machine.play.lines() for machine in (one, two)}
    one.checkpoint()
    published = hub.read("rounds/history.jsonl")
    two.checkpoint()
    everything_is_there(hub, start, one, two)
    assert hub.read("rounds/history.jsonl").startswith(published)
    assert "another run had pushed meanwhile" in two.said[-1]
    assert idea_of(hub.read("rounds/best.md")) == "one c", "the branch's best stays: nobody compared the two"
    assert [line["id"] for line in hub.history() if line.get("verify") == "merge"] == [
        next(line["id"] for line in before["two"] if line["event"] == "adopted" and line["round"] == 2)
    ]
    assert len(hub.history()) == len(published.splitlines()) + len(before["two"]) - len(start.play.lines()) + 2
    assert len(hub.git("log", "--format=%H", "xuen-loop").split()) == 3, "one line of commits, nothing forced"


def test_two_runs_that_both_begin_a_workspace_keep_everything(hub: Hub) -> None:
    one, two = hub.machine("one", hour=2), hub.machine("two", hour=3)
    for machine in (one, two):
        machine.restore()
    one.run(("one a", 7))
    two.run(("two a", 9))
    one.checkpoint()
    two.checkpoint()
    everything_is_there(hub, one, two)
    assert idea_of(hub.read("rounds/best.md")) == "two a", "judged against the same empty start, and scored higher"
    assert idea_of(hub.read("research.md")) == "two a"


def test_two_rounds_with_the_same_id_both_stay(hub: Hub) -> None:
    """Both machines have the same clock, so all their ids are the same."""
    one, two = hub.machine("one"), hub.machine("two")
    first = one.run(("one a", 8), ("one b", 3))
    assert two.run(("two a", 7), ("two b", 2)) == first
    ours = snapshots(local(two))
    one.checkpoint()
    two.checkpoint()
    told, kept = hub.history(), snapshots(hub.files())
    assert len(kept) == 5, "the baseline is the same, the four others are not"
    assert set(ours.values()) <= set(kept.values())
    for line in told:
        if line["event"] == "candidate":
            assert f"rounds/cand-{line['id']}.md" in kept
    renamed = {line["from_id"]: line["id"] for line in told if "from_id" in line}
    assert renamed == {each: f"{each}-2" for each in first}
    assert hub.read(f"rounds/prompts/{first[0]}.txt")
    assert hub.best()["id"] == first[0]
    assert idea_of(two.workspace.joinpath(f"rounds/cand-{first[0]}.md").read_bytes()) == "one a"
    assert idea_of(two.workspace.joinpath(f"rounds/cand-{first[0]}-2.md").read_bytes()) == "two a"
    third = hub.machine("third", hour=9)
    third.restore()
    third.run(("three", 8))
    assert third.play.lines("recovered") == []


def test_many_machines_at_once_lose_nothing(hub: Hub) -> None:
    machines = [hub.machine(f"m{number}", hour=number + 1) for number in range(4)]
    for number, machine in enumerate(machines):
        machine.run((f"{number} a", 7 + number % 3), (f"{number} b", number))
    program = (
        "import sys, os\nfrom pathlib import Path\nfrom xuen.ci.git import Remote\n"
        "from xuen.ci.branch import checkpoint\n"
        "with Remote(Path(sys.argv[1]), 'origin', 'xuen-loop', os.environ) as remote:\n"
        "    checkpoint(Path(sys.argv[1]) / 'workspace', remote, lambda text: print(text.en), attempts=20)\n"
    )
    root = Path(__file__).resolve().parent.parent.parent
    lines = {machine.checkout.name: machine.play.lines() for machine in machines}
    running = [
        subprocess.Popen([sys.executable, "-c", program, str(machine.checkout)], cwd=root, stdout=subprocess.DEVNULL)
        for machine in machines
    ]
    assert [process.wait(100) for process in running] == [0, 0, 0, 0]
    told = hub.history()
    numbers = [line["seq"] for line in told]
    assert numbers == sorted(set(numbers))
    for each in lines.values():
        for line in each:
            assert (line["event"], line["ts"], line.get("id")) in [
                (one["event"], one["ts"], one.get("from_id", one.get("id"))) for one in told
            ]
    assert len(snapshots(hub.files())) >= 9
    last = hub.machine("last", hour=20)
    last.restore()
    last.run()
    assert last.play.lines("recovered") == []
    assert last.play.record()["id"] == hub.best()["id"]


def test_checkpoints_beside_a_living_run_push_what_is_there_and_change_nothing(hub: Hub) -> None:
    rival = hub.machine("rival", hour=1)
    machine = hub.machine("only", hour=2)
    machine.play.start(answers=[8, 9, 7])
    with RunLock(Workspace(machine.workspace), "a run"):
        machine.play.round("first")
        machine.checkpoint()
        rival.restore()
        rival.run(("rival", 10))
        rival.checkpoint()
        machine.play.round("second")
        before = local(machine), machine.play.lines()
        machine.checkpoint()
        machine.checkpoint()
        assert (local(machine), machine.play.lines()) == before
        machine.play.round("third")
        machine.play.finish()
        machine.checkpoint()
    everything_is_there(hub, machine, rival)
    told = hub.history()
    assert len([line for line in told if line["event"] == "candidate"]) == 4
    machine.checkpoint()
    assert machine.play.workspace.history.read_bytes() == hub.read("rounds/history.jsonl")


def test_what_a_dead_machine_left_on_a_disk_that_is_used_again_is_kept(hub: Hub) -> None:
    one = hub.machine("one", hour=1)
    one.run(("pushed", 8))
    one.checkpoint()
    one.play.start(answers=[9])
    lost = one.play.round("never pushed")
    two = hub.machine("two", hour=5)
    two.restore()
    two.run(("meanwhile", 5))
    two.checkpoint()
    one.restore()
    one.run()
    one.checkpoint()
    everything_is_there(hub, one, two)
    assert hub.best()["id"] == lost


# --- pushes that do not go through -----------------------------------------------------------------------------------


def hook(hub: Hub, script: str) -> None:
    path = hub.path / "hooks" / "pre-receive"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


def test_a_rejected_push_is_tried_again_and_then_goes_through(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    hook(hub, 'echo x >> "$PWD/tries"; [ "$(wc -l < "$PWD/tries")" -ge 3 ] || { echo not now >&2; exit 1; }')
    machine.checkpoint()
    assert [said.split(":")[0] for said in machine.said[:2]] == [
        "push 1 of 5 did not go through",
        "push 2 of 5 did not go through",
    ]
    everything_is_there(hub, machine)


def test_after_the_last_attempt_it_says_so_and_the_workspace_is_whole(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    hook(hub, 'echo x >> "$PWD/tries"; exit 1')
    before = local(machine)
    with pytest.raises(GitFailed, match=r"was not pushed in 3 attempts.*hook declined") as caught:
        machine.checkpoint(attempts=3)
    assert caught.value.exit_code == 1
    assert (hub.path / "tries").read_text() == "x\n" * 3
    assert local(machine) == before
    (hub.path / "hooks/pre-receive").unlink()
    machine.checkpoint()
    everything_is_there(hub, machine)


def test_a_push_that_loses_a_race_is_merged_anew(hub: Hub) -> None:
    """Between our look at the branch and our push somebody else is faster."""
    start = hub.machine("start", hour=1)
    start.run(("common", 8))
    start.checkpoint()
    one, two = hub.machine("one", hour=2), hub.machine("two", hour=3)
    for machine in (one, two):
        machine.restore()
    one.run(("one", 8))
    two.run(("two", 9))
    with two.remote() as remote:
        commit = remote.commit

        def late(*given: Any) -> str:
            made = commit(*given)
            if one.said[-1:] != ["pushed"]:
                one.checkpoint()
                one.said.append("pushed")
            return made

        remote.commit = late  # type: ignore[method-assign]  # a moment in time, not a behaviour
        checkpoint(two.workspace, remote, two.say, attempts=3, pause=lambda _: None)
    assert "push 1 of 3 did not go through" in two.said[1]
    everything_is_there(hub, start, one, two)


def test_a_remote_that_is_gone_is_one_clear_error_after_the_attempts(hub: Hub, tmp_path: Path) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    before = local(machine)
    hub.path.rename(tmp_path / "elsewhere")
    with pytest.raises(GitFailed, match=r"was not pushed in 3 attempts: git ls-remote failed"):
        machine.checkpoint(attempts=3)
    assert len(machine.said) == 3
    with pytest.raises(GitFailed, match=r"git ls-remote failed"):
        machine.restore()
    assert [said.split(":")[0] for said in machine.said[3:]] == [
        f"attempt {number} of 3 to read the branch failed" for number in (1, 2, 3)
    ]
    assert local(machine) == before


def test_a_remote_that_is_away_for_a_moment_is_asked_again(hub: Hub, tmp_path: Path) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))

    def comes_back(_: float) -> None:
        (tmp_path / "elsewhere").rename(hub.path)

    hub.path.rename(tmp_path / "elsewhere")
    with machine.remote() as remote:
        checkpoint(machine.workspace, remote, machine.say, attempts=5, pause=comes_back)
    everything_is_there(hub, machine)
    second = hub.machine("second", hour=5)
    hub.path.rename(tmp_path / "elsewhere")
    with second.remote() as remote:
        restore(second.workspace, remote, second.say, pause=comes_back)
    assert second.play.workspace.history.read_bytes() == hub.read("rounds/history.jsonl")


def test_when_it_is_late_nothing_is_tried_once_more(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    hook(hub, "exit 1")
    with machine.remote(late=0.0) as remote, pytest.raises(GitFailed, match=r"was not pushed in 1 attempts"):
        checkpoint(machine.workspace, remote, machine.say, attempts=5, pause=lambda _: None)


# --- what is refused -------------------------------------------------------------------------------------------------


def test_the_default_branch_and_foreign_branches_are_refused(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    hub.git("branch", "feature", "main")
    for branch, words in {"main": "default branch", "feature": "something other", "a..b": "name", "-d": "name"}.items():
        for step in (machine.restore, machine.checkpoint):
            with pytest.raises(UsageError) as caught:
                step(branch=branch)
            assert words in caught.value.line("en")
    assert hub.git("log", "--format=%s", "feature", "-1").strip() == "second"


def test_a_workspace_that_a_run_holds_is_not_restored(hub: Hub) -> None:
    machine = hub.machine("only")
    with RunLock(Workspace(machine.workspace), "a run"), pytest.raises(WorkspaceBusy):
        machine.restore()


# --- a person at the branch ------------------------------------------------------------------------------------------


def test_a_verdict_on_the_web_while_a_run_goes_on_is_merged_and_then_honoured(hub: Hub) -> None:
    first = hub.machine("first", hour=1)
    waiting, _ = first.run(("open question", "unknown"), ("fine", 7))  # type: ignore[arg-type]
    first.checkpoint()
    second = hub.machine("second", hour=2)
    second.restore()
    second.run(("goes on", 3))
    edited = hub.read("rounds/verdicts.txt") + f"{waiting} 9.5 deeper than the rest\n".encode()
    hub.edit("rounds/verdicts.txt", edited)
    second.checkpoint()
    assert hub.read("rounds/verdicts.txt") == edited
    everything_is_there(hub, first, second)
    third = hub.machine("third", hour=3)
    third.restore()
    third.run()
    third.checkpoint()
    assert hub.best()["id"] == waiting
    assert hub.best()["verify"] == "user"
    assert idea_of(hub.read("research.md")) == "open question"


def test_the_best_of_a_run_that_lost_can_be_adopted_by_a_verdict(hub: Hub) -> None:
    one, two = hub.machine("one", hour=1), hub.machine("two", hour=2)
    one.run(("one a", 8), ("one b", 8))
    (rival,) = two.run(("two", 10))
    one.checkpoint()
    two.checkpoint()
    assert hub.best()["id"] != rival
    hub.edit("rounds/verdicts.txt", f"{rival} 8\n".encode())
    third = hub.machine("third", hour=3)
    third.restore()
    third.run()
    third.checkpoint()
    assert hub.best()["id"] == rival


def test_verdicts_from_both_sides_are_all_there(hub: Hub) -> None:
    machine = hub.machine("only")
    ids = machine.run(("one", "unknown"), ("two", "unknown"))  # type: ignore[arg-type]
    machine.checkpoint()
    machine.restore()
    machine.play.verdict(f"{ids[0]} 4 here\n")
    hub.edit("rounds/verdicts.txt", hub.read("rounds/verdicts.txt") + f"{ids[1]} 8 on the web".encode())
    machine.checkpoint()
    lines = hub.read("rounds/verdicts.txt").decode().splitlines()[2:]
    assert lines == [f"{ids[1]} 8 on the web", f"{ids[0]} 4 here"]


def test_a_research_md_that_a_person_edited_on_the_branch_is_kept_as_a_candidate(hub: Hub) -> None:
    first = hub.machine("first", hour=1)
    first.run(("one", 8))
    first.checkpoint()
    second = hub.machine("second", hour=2)
    second.restore()
    second.run(("two", 9))
    hub.edit("research.md", hub.read("research.md").replace(b"one\n", b"by hand\n"))
    second.checkpoint()
    assert idea_of(hub.read("research.md")) == "by hand"
    third = hub.machine("third", hour=3)
    third.restore()
    third.run()
    third.checkpoint()
    assert "by hand" in [idea_of(data) for data in snapshots(hub.files()).values()]
    assert hub.history()[-2]["event"] == "restored"
    assert idea_of(hub.read("research.md")) == "two"
    fourth = hub.machine("fourth", hour=4)
    fourth.restore()
    fourth.run(("four", 3))
    fourth.checkpoint()
    assert idea_of(hub.read("research.md")) == "two"


def test_queued_input_is_used_once_and_never_lost(hub: Hub) -> None:
    first = hub.machine("first")
    first.run(("one", 8))
    put(first.play.workspace, "old")
    first.checkpoint()
    second = hub.machine("second", hour=5)
    second.restore()
    assert [entry.text for entry in peek(second.play.workspace)] == ["old"]
    hub.edit("inbox.jsonl", hub.read("inbox.jsonl") + b'{"ts":"","text":"from the web"}\n')
    second.workspace.joinpath("inbox.jsonl").write_bytes(b"")  # it was taken
    put(second.play.workspace, "from here")
    second.checkpoint()
    assert [json.loads(line)["text"] for line in hub.read("inbox.jsonl").splitlines()] == ["from the web", "from here"]


# --- secrets and sizes -----------------------------------------------------------------------------------------------


def test_printed_output_travels_short_and_without_keys(hub: Hub) -> None:
    machine = hub.machine("only")
    (identity,) = machine.run(("one", 8))
    log = machine.workspace / f"rounds/logs/{identity}.log"
    secret = b"token ghp_" + b"a1" * 18 + b" and sk-" + b"b2" * 20
    log.write_bytes(secret + b"\n" + b"x" * 3_000_000 + b"\nthe end\n")
    machine.checkpoint()
    sent = hub.read(f"rounds/logs/{identity}.log")
    assert sent.startswith(b"token *** and ***\n")
    assert sent.endswith(b"the end\n")
    assert len(sent) <= 65_536
    assert log.stat().st_size > 3_000_000, "the workspace's own is whole"
    second = hub.machine("second", hour=5)
    second.restore()
    tip = hub.tip()
    second.checkpoint()
    assert hub.tip() == tip


def test_the_tip_carries_the_talk_of_the_latest_rounds_only(hub: Hub) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    machine.checkpoint()
    prompts = machine.workspace / "rounds/prompts"
    for number in range(205):
        (prompts / f"20270101-{number // 60:04d}{number % 60:02d}-r{number + 2}.txt").write_text(str(number))
    machine.checkpoint()
    names = [name for name in hub.files() if name.startswith("rounds/prompts/")]
    assert len(names) == 200
    assert min(names) == "rounds/prompts/20270101-000005-r7.txt"
    assert len(list(prompts.iterdir())) == 206
    assert len(snapshots(hub.files())) == 2


def test_the_token_reaches_git_in_its_environment_only(hub: Hub, tmp_path: Path, xuen: Callable) -> None:
    machine = hub.machine("only")
    machine.run(("one", 8))
    secret = "ghs_" + "s3cret" * 6
    spy = tmp_path / "bin" / "git"
    spy.parent.mkdir()
    spy.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{tmp_path}/words"; env >> "{tmp_path}/env"\n'
        f'case "$*" in *ls-remote*) echo "fatal: no {secret} for https://me:{secret}@127.0.0.1/" >&2; exit 128;; esac\n'
        f'exec {shutil.which("git")} "$@"\n'
    )
    spy.chmod(0o755)
    done = xuen(
        *("ci", "checkpoint", "--remote", "https://127.0.0.1:9/x.git"),
        cwd=machine.checkout,
        GITHUB_TOKEN=secret,
        PATH=f"{spy.parent}{os.pathsep}{os.environ['PATH']}",
    )
    assert done.returncode == 1
    assert "fatal: no *** for https://127.0.0.1/" in done.stderr
    assert secret not in done.stdout + done.stderr + (tmp_path / "words").read_text()
    assert secret not in (tmp_path / "env").read_text()
    header = base64.b64encode(f"x-access-token:{secret}".encode()).decode()
    assert f"GIT_CONFIG_VALUE_0=AUTHORIZATION: basic {header}" in (tmp_path / "env").read_text()
    assert len(done.stderr.splitlines()) == 1


def test_the_token_is_a_header_for_the_server_of_the_remote(hub: Hub) -> None:
    from xuen.ci.git import _credentials

    found = _credentials("https://github.com/me/it.git", "secret", "https://github.com")
    assert found["GIT_CONFIG_KEY_0"] == "http.https://github.com/.extraheader"
    assert found["GIT_CONFIG_VALUE_0"] == "AUTHORIZATION: basic eC1hY2Nlc3MtdG9rZW46c2VjcmV0"
    assert _credentials("https://git.example:8443/it.git", "secret", "") != {}
    for url in (
        "https://evil.example/me/it.git",
        "https://github.com.evil.example/x",
        "https://github.com@evil.example/x",
        "http://github.com/me/it.git",
    ):
        assert _credentials(url, "secret", "https://github.com") == {}
    assert _credentials("https://GitHub.com/me/it.git", "secret", "https://github.com/") != {}
    assert _credentials("/some/folder", "secret", "") == {}
    assert _credentials("git@github.com:me/it.git", "secret", "") == {}
