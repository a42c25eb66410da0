"""Another task for a workspace that has rounds: a run never takes it over by itself.

Owns the question on a terminal and the refusal without one. What the user agrees to keeps the whole record: only the
word bank is made anew, and the prompts carry the new task.
"""

from __future__ import annotations

from pathlib import Path

from xuen.cli.parser import Options
from xuen.cli.task import Ask, confirmed
from xuen.config.model import Config
from xuen.errors import UsageError
from xuen.guard.report import last_task
from xuen.texts import Language, plain
from xuen.texts import run as texts
from xuen.workspace.paths import Workspace
from xuen.workspace.research import title_of


def task_before(options: Options, config: Config, task: str, language: Language, ask: Ask | None) -> str | None:
    """The title of the workspace's last task where the user agreed to begin another one there; None for the same task.

    `ask` is None where there is no terminal.

    Raises:
        UsageError: the workspace has rounds of another task, and nobody agreed.
    """
    root = Path(config.workspace).absolute()
    before = last_task(Workspace(root))
    if before is None or before.strip() == task:
        return None
    title = title_of(before)
    agreed = options.new_task or (
        ask is not None and confirmed(texts.NEW_TASK_HERE.of(old=plain(title)), language, ask)
    )
    if not agreed:
        raise UsageError(texts.ROUNDS_OF_ANOTHER.of(old=plain(title)), where=str(root), mend=texts.BOTH_WAYS)
    return title
