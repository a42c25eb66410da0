"""Between the protocol's words and xwork's own: prompts, events, permissions, MCP servers. Pure.

Refuses pictures and sound in prompts. Always holds: a tool call is told under one id from its beginning to its end,
live and in a session that is loaded again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import acp
import msgspec
from acp import schema

from xuen.errors import UserError
from xuen.texts import Language, plain
from xuen.texts import acp as texts
from xuen.xwork.display import one_line
from xuen.xwork.errors import BadUse
from xuen.xwork.events import AnyEvent, Notice, ReasoningChunk, Retrying, TextChunk, ToolEnded, ToolStarted
from xuen.xwork.gate import REMINDER
from xuen.xwork.mcp.config import McpServer
from xuen.xwork.messages import Assistant, Message, ToolCall, ToolResult, User
from xuen.xwork.policy.permission import Request

Update = (
    schema.AgentMessageChunk
    | schema.AgentThoughtChunk
    | schema.UserMessageChunk
    | schema.ToolCallStart
    | schema.ToolCallProgress
    | schema.AvailableCommandsUpdate
)
Server = schema.HttpMcpServer | schema.SseMcpServer | schema.AcpMcpServer | schema.McpServerStdio
Block = (
    schema.TextContentBlock
    | schema.ImageContentBlock
    | schema.AudioContentBlock
    | schema.ResourceContentBlock
    | schema.EmbeddedResourceContentBlock
)
ALLOW, ALWAYS, REJECT = "allow", "always", "reject"

_KINDS: dict[str, schema.ToolKind] = {
    "read_file": "read",
    "list_files": "search",
    "search_text": "search",
    "write_file": "edit",
    "replace_text": "edit",
    "apply_patch": "edit",
    "exec_command": "execute",
    "start_process": "execute",
    "poll_process": "execute",
    "write_process": "execute",
    "stop_process": "execute",
}
_TITLE = 100  # characters of what a call is about


def prompt_text(blocks: Sequence[Block]) -> str:
    """A prompt as one text; what an editor embeds stands in it under its address.

    Raises:
        BadUse: it holds what is no text, or nothing.
    """
    text = "\n\n".join(map(_block_text, blocks))
    if not text.strip():
        raise BadUse(texts.EMPTY)
    return text


def _block_text(block: Block) -> str:
    match block:
        case schema.TextContentBlock():
            return block.text
        case schema.ResourceContentBlock():
            return f"[{block.name}]({block.uri})"
        case schema.EmbeddedResourceContentBlock(resource=schema.TextResourceContents() as resource):
            return f"{resource.uri}:\n{resource.text}"
        case _:
            raise BadUse(texts.TEXT_ONLY.of(kind=block.type))


def updates(event: AnyEvent, workspace: Path) -> Iterator[Update]:
    """What a client is told of an event."""
    match event:
        case TextChunk(text=text) if text:
            yield acp.update_agent_message_text(text)
        case ReasoningChunk(text=text) if text:
            yield acp.update_agent_thought_text(text)
        case Notice(text=text) | Retrying(reason=text):
            yield acp.update_agent_thought_text(f"{text}\n")
        case ToolStarted(call_id=call_id, name=name, arguments=arguments):
            yield _begun(ToolCall(call_id, name, arguments), workspace, "in_progress")
        case ToolEnded(call_id=call_id, text=text, failed=failed):
            yield _ended(call_id, text, failed)
        case _:
            pass


def replay(messages: Sequence[Message], workspace: Path) -> Iterator[Update]:
    """A conversation told once more."""
    for message in messages:
        match message:
            case User(text=text) if text != REMINDER:
                yield acp.update_user_message_text(text)
            case Assistant():
                if message.reasoning:
                    yield acp.update_agent_thought_text(message.reasoning)
                if message.text:
                    yield acp.update_agent_message_text(message.text)
                yield from (_begun(call, workspace, "pending") for call in message.calls)
            case ToolResult():
                yield _ended(message.call_id, message.text, message.failed)


def commands(language: Language) -> Update:
    """The commands that a prompt may consist of."""
    told = {"resume": texts.RESUME, "compact": texts.COMPACT}
    available = [schema.AvailableCommand(name=n, description=t.in_language(language)) for n, t in told.items()]
    return acp.helpers.update_available_commands(available)


def asked(request: Request, workspace: Path) -> schema.ToolCallUpdate:
    """A call as the client is asked about it."""
    begun = _begun(ToolCall(request.call_id, request.tool, request.arguments), workspace, "pending")
    return schema.ToolCallUpdate(**begun.model_dump(exclude={"session_update"}))


def options(tool: str, language: Language) -> list[schema.PermissionOption]:
    """The answers to it."""
    always = texts.ALLOW_ALWAYS.of(tool=plain(tool)).in_language(language)
    return [
        schema.PermissionOption(option_id=ALLOW, name=texts.ALLOW.in_language(language), kind="allow_once"),
        schema.PermissionOption(option_id=ALWAYS, name=always, kind="allow_always"),
        schema.PermissionOption(option_id=REJECT, name=texts.REJECT.in_language(language), kind="reject_once"),
    ]


def servers(named: Sequence[Server]) -> tuple[McpServer, ...]:
    """The MCP servers that a client wants the agent to use.

    Raises:
        BadUse: one of a kind that is not spoken here.
    """
    return tuple(map(_server, named))


def _server(server: Server) -> McpServer:
    name = re.sub(r"[^A-Za-z0-9-]+", "_", server.name).strip("_")[:32] or "server"
    match server:
        case schema.McpServerStdio():
            env = {variable.name: variable.value for variable in server.env}
            secrets = tuple(env.values())  # what an editor knows of secrets, it has put in already
            return McpServer(name=name, command=server.command, args=tuple(server.args), env=env, secrets=secrets)
        case schema.HttpMcpServer():
            headers = {header.name: header.value.strip() for header in server.headers}
            secrets = tuple(word for value in headers.values() for word in value.split())
            return McpServer(name=name, url=server.url, headers=headers, secrets=secrets)
        case _:
            raise BadUse(texts.NO_TRANSPORT.of(name=plain(server.name)))


def refusal(error: UserError, language: Language) -> acp.RequestError:
    """An error as the answer to a request."""
    return acp.RequestError(-32602 if isinstance(error, BadUse) else -32603, error.line(language))


def _begun(call: ToolCall, workspace: Path, status: schema.ToolCallStatus) -> schema.ToolCallStart:
    arguments = _decoded(call.arguments)
    about = next((str(arguments[key]) for key in ("command", "path", "query", "process_id") if key in arguments), "")
    title = f"{call.name} {one_line(about, _TITLE)}".strip()
    path = arguments.get("path")
    named = isinstance(path, str) and "\0" not in path
    places = [schema.ToolCallLocation(path=str(workspace / str(path)))] if named else None
    return acp.start_tool_call(
        call.id, title, kind=_KINDS.get(call.name, "other"), status=status, locations=places, raw_input=arguments
    )


def _ended(call_id: str, text: str, failed: bool) -> schema.ToolCallProgress:
    status: schema.ToolCallStatus = "failed" if failed else "completed"
    return acp.update_tool_call(call_id, status=status, content=[acp.tool_content(acp.text_block(text))])


def _decoded(raw: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(raw, type=dict[str, Any])
    except msgspec.DecodeError:  # a model may write anything
        return {"arguments": raw}
