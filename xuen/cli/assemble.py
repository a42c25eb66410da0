"""A run put together: which agents, which guard, which loop.

Owns the wiring and nothing else: every part is made here once and handed to those that need it.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import msgspec

from xuen.agent.call import Agent
from xuen.agent.resolve import Resolved, name_of, resolve
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import Template, check_with_shell, parse
from xuen.cli.settings import Settings
from xuen.config.model import Config, WordsSettings
from xuen.errors import ConfigError, TemplateError
from xuen.guard.guard import RoundGuard, utc_now
from xuen.guard.no_guard import NoGuard
from xuen.guard.round import Guard
from xuen.guard.verify import Verifier
from xuen.guard.verify.judge import AiVerifier
from xuen.guard.verify.suite import SuiteVerifier
from xuen.guard.verify.user import UserVerifier
from xuen.prompt import Setting, judge_prompt
from xuen.runner.kit import Kit
from xuen.sink import Sink
from xuen.stop import Stop
from xuen.texts import Language
from xuen.workspace.paths import Workspace
from xuen.workspace.research_file import ResearchFile
from xuen.workspace.run_lock import RunLock
from xuen.workspace.work import WorkFolder

EMBEDDED_WORDS = WordsSettings(count=20, batch=20)
"""What the embedded model can make in less than a minute, so that the first round begins."""


@dataclass(frozen=True, slots=True)
class Commands:
    """The checked templates of a run: the agent's, and the judge's where it has one of its own."""

    agent: Resolved
    judge: Template | None
    judge_name: str


@dataclass(frozen=True, slots=True)
class Run:
    """What is known of a run before its sink is."""

    config: Config
    task: str
    language: Language
    commands: Commands
    workspace: Workspace
    token: str
    stop: Stop
    seed: int | None
    lock: RunLock


def commands_of(settings: Settings) -> Commands:
    """The agents that the settings ask for, their templates checked, also by a shell.

    Raises:
        ConfigError: an unknown preset, or a template through which the prompt might not arrive whole.
    """
    agent, judge = agent_of(settings), judge_of(settings)
    return Commands(agent, judge, agent.name if judge is None else name_of(judge.source))


def agent_of(settings: Settings) -> Resolved:
    """The agent that the settings ask for, its template checked.

    Raises:
        ConfigError: an unknown preset, or the prompt might not arrive whole; `where` is the place in the file or the
            option of the command line.
    """
    config = settings.config
    with _placed(settings, "agent.command" if config.agent.argv is None else "agent.argv"):
        agent = resolve(config.agent, config.xwork)
        check_with_shell(agent.template)
    return agent


def judge_of(settings: Settings) -> Template | None:
    """The checked template of the judge, if it has a command of its own.

    Raises:
        ConfigError: the prompt might not arrive whole through it.
    """
    command = settings.config.rounds.judge_command
    if command is None:
        return None
    with _placed(settings, "rounds.judge_command"):
        template = parse(command)
        check_with_shell(template)
    return template


@contextmanager
def _placed(settings: Settings, command_key: str) -> Iterator[None]:
    """Give a fault of a setting or of a template the place where a person finds it."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(error.what, where=settings.where(error.where), mend=error.mend) from None
    except TemplateError as error:
        where = settings.where(command_key, error.line_number, error.column)
        raise ConfigError(error.what, where=where, mend=error.mend) from None


def words_of(run: Run, *, anew: bool) -> WordsSettings:
    """How the word bank is made; the embedded model makes a small one."""
    words = run.config.words
    if run.commands.agent.embedded:
        count = min(words.count, EMBEDDED_WORDS.count)
        words = msgspec.structs.replace(words, count=count, batch=min(words.batch, EMBEDDED_WORDS.batch))
    return msgspec.structs.replace(words, reuse=False) if anew else words


def kit_of(run: Run, sink: Sink) -> Kit:
    """All parts of the run, telling their events to `sink`."""
    research = ResearchFile(run.workspace)
    setting = _setting(run)
    template, config = run.commands.agent.template, run.config
    agent = _agent(run, sink, template, name=run.commands.agent.name, timeout=config.agent.timeout)
    judge = _agent(
        run,
        sink,
        run.commands.judge or template,
        name=run.commands.judge_name,
        timeout=config.rounds.judge_timeout,
    )
    return Kit(
        setting=setting,
        workspace=run.workspace,
        work=WorkFolder(run.workspace, utc_now),
        agent=agent,
        guard=_guard(run, sink, research, setting, judge),
        sink=sink,
        stop=run.stop,
        lock=run.lock,
        seed=run.seed,
    )


def _setting(run: Run) -> Setting:
    """What all prompts share; the room for the sections is the smallest of what is set and what the agent takes."""
    rooms = [room for room in (run.config.prompt.max_state_chars, run.commands.agent.max_state_chars) if room]
    return Setting(
        task=run.task,
        language=run.language,
        extra_notes=run.config.extra_notes,
        interpreter=sys.executable,
        section_writer=str(run.workspace.work.section_writer),
        workspace=str(run.workspace.work.root),
        max_state_chars=min(rooms, default=0),
    )


def _agent(run: Run, sink: Sink, template: Template, *, name: str, timeout: float) -> ShellAgent:
    return ShellAgent(
        template,
        name=name,
        workspace=run.workspace.root,
        work=run.workspace.work.root,
        token=run.token,
        sink=sink,
        stop=run.stop,
        timeout=timeout,
        idle_timeout=run.config.agent.idle_timeout,
        env=run.commands.agent.env,
        language=run.language,
        about={"task": run.task, "notes": run.config.extra_notes},
    )


def _guard(run: Run, sink: Sink, research: ResearchFile, setting: Setting, judge: Agent) -> Guard:
    rounds = run.config.rounds
    if not rounds.enabled:
        return NoGuard(research, root=run.workspace.root, sink=sink, clock=utc_now)

    ai = AiVerifier(judge, prompt=partial(judge_prompt, setting), language=run.language)
    verifiers: list[Verifier] = [ai, UserVerifier()]
    if rounds.repo is not None:
        suite = SuiteVerifier(
            Path(rounds.repo),
            timeout=rounds.test_timeout,
            stop=run.stop,
            is_repo=True,
            marks={"XUEN_WORKSPACE": str(run.workspace.root), "XUEN_RUN": run.token},
            language=run.language,
        )
        verifiers.append(suite)
    return RoundGuard(
        run.workspace,
        settings=rounds,
        language=run.language,
        verifiers={verifier.name: verifier for verifier in verifiers},
        sink=sink,
        stop=run.stop,
        research=research,
    )
