"""Records two real runs in one workspace as `--events` tells them: `python tests/ui/record.py [LANGUAGE …]`.

The real command line, shell, guard and files, with the researcher of tests/agents: a word bank, then a round that is
adopted, one that is rejected, one that waits, one that changes nothing, one in which the agent fails, and one that
damages research.md. The second run begins with the user's verdict on what waited, takes a text of the user, and has a
round that writes what no screen may obey. Written to tests/ui/recordings/LANGUAGE.jsonl; the temporary folder's name
and the call of the program are left out.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[2]
AGENT = ROOT / "tests" / "agents" / "researcher.py"
RECORDINGS = Path(__file__).with_name("recordings")
ROUNDS = 6

TASKS = {"en": "Make decoding of a language model faster", "zh": "加快大模型解码"}
SAID = {"en": "look at memory traffic first", "zh": "先看访存开销"}
WORDS = {"en": "tide,beam,cache line,relay", "zh": "潮汐,束搜索,缓存行,接力"}
FIRST = {
    "en": "Draft **trees**, not chains.\n\n- one pass for all branches\n- width by load",
    "zh": "草稿用**树**而不用链。\n\n- 一遍验证所有分支\n- 按负载调节树宽",
}
WORSE = {"en": "Draft chains, only longer ones.", "zh": "还是用链，只是更长。"}
OPEN = {"en": "Draft trees, and let the cache decide how wide.", "zh": "草稿用树，宽度由缓存决定。"}
ARTIFACT = {
    "en": "# Tree drafting\n\n| width | speed-up |\n|---|---|\n| 1 | 1.7x |\n| {round} | 2.2x |",
    "zh": "# 树形草稿解码\n\n| 树宽 | 加速 |\n|---|---|\n| 1 | 1.7x |\n| {round} | 2.2x |",
}
HOSTILE = "[/bold] [red]x[/red] [@click=app.quit]x a [node_modules] b \x1b]52;c;aGk=\x07\x1b[2J 👩‍👩‍👧‍👦 \u202egnirts"


def agent_command(language: str, program: Path) -> str:
    """The researcher's part in these rounds, as a template."""
    ideas = [FIRST, WORSE, OPEN, FIRST, WORSE, WORSE]
    artifacts = [1, 2, 3, 1, 5, 6, 7, 8]
    options = ["--words", WORDS[language], "--score", "8,3,-,9,-", "--exit", "0,0,0,0,1,0", "--damage", "6"]
    for idea in [*(each[language] for each in ideas), HOSTILE, "the last one"]:
        options += ["--idea", idea]
    for number in artifacts:
        options += ["--artifact", ARTIFACT[language].replace("{round}", str(number))]
    return f'{shlex.quote(str(program))} {shlex.join(options)} "$prompt"'


def record(language: str, folder: Path) -> list[str]:
    """The lines of both runs; `folder` is an empty one.

    Raises:
        subprocess.CalledProcessError: a run ended as it should not have.
    """
    program = folder / "researcher"
    program.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} {shlex.quote(str(AGENT))} "$@"\n', "utf-8")
    program.chmod(0o755)
    settings = {
        "language": language,
        "agent": {"command": agent_command(language, program)},
        "words": {"pick": 2, "count": 4, "batch": 4},
        "rounds": {"verify": "ai"},
    }
    (folder / "config.yaml").write_text(json.dumps(settings, ensure_ascii=False), "utf-8")
    run = [TASKS[language], "--no-tui", "--seed", "7", "--events", "events.jsonl"]
    xuen(folder, *run, "--iterations", str(ROUNDS))
    history = (folder / "workspace" / "rounds" / "history.jsonl").read_text("utf-8").splitlines()
    waits = next(line["id"] for line in map(json.loads, history) if line["event"] == "pending")
    xuen(folder, "score", waits, "9.5", "the cache decides")
    xuen(folder, "say", SAID[language])
    xuen(folder, *run, "--iterations", "2")
    text = re.sub(r',"again":\[[^]]*\]', "", (folder / "events.jsonl").read_text("utf-8"))
    return text.replace(f"{folder.resolve()}/", "").replace(f"{folder}/", "").splitlines()


def xuen(folder: Path, *words: str) -> None:
    """One call of the command line in the folder."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("XUEN_", "TEXTUAL"))}
    subprocess.run(
        [sys.executable, str(ROOT / "main.py"), *words],
        cwd=folder,
        env={**env, "PYTHONPATH": str(ROOT), "LC_ALL": "C.UTF-8"},
        check=True,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=120,
    )


def main() -> int:
    RECORDINGS.mkdir(exist_ok=True)
    for language in sys.argv[1:] or TASKS:
        with tempfile.TemporaryDirectory() as folder:
            lines = record(language, Path(folder))
        (RECORDINGS / f"{language}.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
