"""The commands of xwork: `run`, `resume`, `compact`, `show`.

Owns what a command line asks of an agent and of a session. Whoever calls it owns the display, the signals and the
exit codes.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from xuen.stop import Stop
from xuen.texts import Language, plain
from xuen.texts import xwork as texts
from xuen.xwork.agent import Agent
from xuen.xwork.config import AgentConfig
from xuen.xwork.display import fit_for, one_line
from xuen.xwork.errors import BadUse
from xuen.xwork.events import Listener, Notice
from xuen.xwork.mcp.config import read as read_servers
from xuen.xwork.messages import Assistant, Message, ToolResult
from xuen.xwork.model.connect import SCRIPT
from xuen.xwork.policy.paths import STATE
from xuen.xwork.policy.permission import Approval
from xuen.xwork.questions import may_it, take_over
from xuen.xwork.request import read_request
from xuen.xwork.sandbox.mode import Mode
from xuen.xwork.session.journal import read
from xuen.xwork.session.ledger import Ledger
from xuen.xwork.session.records import EMBEDDED, ModelChosen, Prompted, Record, Reminded
from xuen.xwork.session.seal import Seal

_SHOWN = 400  # characters of a message in `show`


def carry_out(
    options: argparse.Namespace,
    prompt: str,
    workspace: Path,
    listener: Listener,
    stop: Stop,
    *,
    language: Language,
    chosen: ModelChosen,
) -> None:
    """`run`, `resume` or `compact`; raises as the method of `Agent` of that name.

    `chosen` is the model that the session had until now; the last two go on with it unless the options say otherwise.
    """
    path = session_path(options, workspace)
    config = settings(options, workspace, session=path, language=language, chosen=chosen)
    asks = may_it(stop, language) if config.approval is Approval.ASK else None
    trust = take_over(path, stop, language)
    with Agent(config, listener=listener, cancel=stop, on_permission=asks, trust=trust) as agent:
        if config.base_url and options.base_url is None:
            going_on = texts.GOES_ON_WITH.of(model=plain(config.model or ""), url=plain(config.base_url))
            listener(Notice(level="info", text=going_on.in_language(language)))
        match options.command:
            case "run":
                agent.run(prompt)
            case "resume":
                agent.resume()
            case "compact":
                agent.compact()


def settings(
    options: argparse.Namespace,
    workspace: Path,
    *,
    session: Path | None,
    language: Language,
    chosen: ModelChosen = EMBEDDED,
) -> AgentConfig:
    """The settings that a command line asks for; `chosen` says which model serves where the options leave it open.

    Raises:
        BadUse: the file of MCP servers or the request cannot be used, or an option would do nothing.
    """
    if options.mcp and options.command == "compact":
        raise BadUse(texts.MCP_NOT_HERE)
    if options.sandbox_network and Mode(options.sandbox) is Mode.OFF:
        raise BadUse(texts.NETWORK_NOT_HERE, mend=texts.NETWORK_NOT_HERE_MEND)
    base_url, model = _model(options, chosen)
    return AgentConfig(
        workspace=workspace,
        session=session,
        base_url=base_url,
        model=model,
        api_key_env=options.api_key_env,
        approval=Approval(options.approval),
        sandbox=Mode(options.sandbox),
        sandbox_network=options.sandbox_network,
        mcp=read_servers(Path(options.mcp), os.environ) if options.mcp else (),
        request=read_request(os.environ) if options.command == "run" and not base_url else None,
        max_turns=options.max_turns,
        context_tokens=options.context_tokens,
        language=language,
    )


def _model(options: argparse.Namespace, chosen: ModelChosen) -> tuple[str | None, str | None]:
    """The server and the model: each as its option says, else as chosen before.

    A script has no server, an empty address means the embedded model, and neither takes the other half from before.
    """
    base_url, model = options.base_url, options.model
    if base_url is None and not (model or "").startswith(SCRIPT):
        base_url = chosen.base_url
    if model is None and (options.base_url is None or (base_url and chosen.base_url)):
        model = chosen.model
    return base_url, model


def show(options: argparse.Namespace, workspace: Path) -> None:
    """Print what a session holds and whether work in it waits; only reads the file, so it works during a run too.

    Raises:
        BadUse: there is no session, or it cannot be read.
    """
    path = session_path(options, workspace)
    if not os.path.exists(path):  # noqa: PTH110 - Path's raises for a name that is too long
        raise BadUse(texts.SESSION_UNREADABLE.of(reason=plain(os.strerror(errno.ENOENT))), where=str(path))
    try:
        found = read(path, Seal.of(path, workspace))
    except OSError as error:
        raise BadUse(texts.SESSION_UNREADABLE.of(reason=plain(str(error))), where=str(path)) from error
    ledger = _folded(found.records)
    state = {
        "session": str(path),
        "state": ledger.state.value,
        "interrupted": ledger.interrupted,
        "waiting_calls": [msgspec.to_builtins(call) for call in ledger.open_calls],
        "unchecked": ledger.unchecked,
        "messages": len(ledger.messages),
        "prompts": sum(isinstance(record, Prompted) for record in found.records),
        "reminders": sum(isinstance(record, Reminded) for record in found.records),
        "compacted": bool(ledger.summary),
        "base_url": ledger.chosen.base_url,
        "model": ledger.chosen.model,
        "tokens": ledger.tokens,
        "usage": msgspec.to_builtins(ledger.usage),
        "uncounted_answers": ledger.uncounted,
        "damaged_lines": found.damaged,
        "foreign_lines": found.foreign,
    }
    out = sys.stdout
    if options.json:
        out.write(msgspec.json.encode(state).decode() + "\n")
        return
    for message in ledger.messages:
        out.write(fit_for(out, _line(message)) + "\n")
    out.write("\n" + "\n".join(f"{name}: {_said(value)}" for name, value in state.items()) + "\n")


def session_so_far(options: argparse.Namespace, workspace: Path) -> Ledger:
    """The state of the session that the options name; empty if it cannot be read, which opening it will report."""
    try:
        path = session_path(options, workspace)
        return _folded(read(path, Seal.of(path, workspace)).records)
    except (BadUse, OSError):
        return Ledger()


def _folded(records: Iterable[Record]) -> Ledger:
    ledger = Ledger()
    for record in records:
        ledger.apply(record)
    return ledger


def session_path(options: argparse.Namespace, workspace: Path) -> Path:
    """The journal that the options name; a relative one is meant from the current folder.

    Raises:
        BadUse: the root of the file system, which has no name that a lock could stand beside.
    """
    named = getattr(options, "session", None)
    path = Path(named).absolute() if named else workspace / STATE / "session.jsonl"
    if not path.name:
        raise BadUse(texts.SESSION_UNREADABLE.of(reason=plain(os.strerror(errno.EISDIR))), where=str(path))
    return path


def _line(message: Message) -> str:
    text = one_line(message.text, _SHOWN)
    match message:
        case Assistant():
            thought = f"thought: {one_line(message.reasoning, _SHOWN)}\n" if message.reasoning.strip() else ""
            calls = "".join(
                f"\n    -> {call.id} {call.name} {one_line(call.arguments, _SHOWN)}" for call in message.calls
            )
            return f"{thought}assistant: {text}{calls}"
        case ToolResult():
            return f"    <- {message.call_id} {'failed: ' if message.failed else ''}{text}"
        case _:
            return f"user: {text}"


def _said(value: object) -> str:
    return msgspec.json.encode(value).decode()
