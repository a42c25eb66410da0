"""The command line of xwork: the arguments of each command."""

from __future__ import annotations

import argparse


def parser() -> argparse.ArgumentParser:
    """The parser of `python -m xuen.xwork`."""
    whole = argparse.ArgumentParser(prog="python -m xuen.xwork", description="xwork, the agent runtime inside xuen")
    commands = whole.add_subparsers(dest="command", required=True, metavar="COMMAND")
    run = commands.add_parser("run", help="carry out a task; on a finished session its conversation goes on")
    run.add_argument("task", nargs="?", metavar="TASK", help="what to do")
    run.add_argument("--prompt-file", metavar="FILE", help="read the task from a file (UTF-8)")
    _about_the_agent(run)
    _about_the_session(run)
    resume = commands.add_parser("resume", help="go on with interrupted work, without a new task")
    _about_the_agent(resume)
    _about_the_session(resume)
    compact = commands.add_parser("compact", help="shorten the conversation of a session")
    _about_the_agent(compact)
    _about_the_session(compact)
    serves = commands.add_parser(
        "acp", help="serve an editor through the Agent Client Protocol (needs the package agent-client-protocol)"
    )
    _about_the_agent(serves)
    serves.set_defaults(approval="ask")
    show = commands.add_parser("show", help="what a session holds, and whether work in it was interrupted")
    _about_the_session(show)
    return whole


def _about_the_session(command: argparse.ArgumentParser) -> None:
    command.add_argument("--workspace", metavar="DIR", help="the folder to work in (default: the current one)")
    command.add_argument(
        "--session", metavar="FILE", help="the journal (default: .xwork/session.jsonl in the workspace)"
    )
    command.add_argument("--json", action="store_true", help="print JSON, one object a line")


def _about_the_agent(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--base-url",
        metavar="URL",
        help="an OpenAI-compatible server; without it the embedded model, or for resume and compact the server and "
        "model that the session had ('' = the embedded model)",
    )
    command.add_argument("--model", metavar="NAME", help="the model's name; script:FILE replays a script instead")
    command.add_argument(
        "--api-key-env",
        metavar="VAR",
        default="OPENAI_API_KEY",
        help="the environment variable with the key, which may be absent (default: %(default)s)",
    )
    command.add_argument(
        "--approval",
        choices=("auto", "ask", "read-only"),
        default="auto",
        help="who agrees to what goes beyond reading (default: %(default)s)",
    )
    command.add_argument(
        "--sandbox",
        choices=("off", "auto", "on"),
        default="off",
        help="run commands inside bubblewrap, where only the workspace and a /tmp of their own can be written: "
        "on = or not at all, auto = where it works (default: %(default)s)",
    )
    command.add_argument(
        "--sandbox-network", action="store_true", help="let commands in the sandbox use the network (default: none)"
    )
    command.add_argument(
        "--mcp",
        metavar="FILE",
        help='offer the tools of MCP servers too: JSON with "mcpServers" (needs the package mcp)',
    )
    command.add_argument(
        "--max-turns", type=_count, default=0, metavar="N", help="answers of the model at most (default: 0, no limit)"
    )
    command.add_argument("--context-tokens", type=_count, metavar="N", help="the size of the model's context")


def _count(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number
