"""What an MCP server answered, as the text that a model gets. Pure.

Refuses pictures, sound and other binary parts, and says so in their place: no model client here passes them on.
"""

from __future__ import annotations

from mcp.types import (
    AudioContent,
    BlobResourceContents,
    CallToolResult,
    EmbeddedResource,
    ImageContent,
    ResourceLink,
    TextContent,
)
from msgspec import json

from xuen.xwork.tools.outcome import Effect, Outcome

Part = TextContent | ImageContent | AudioContent | ResourceLink | EmbeddedResource


def outcome(result: CallToolResult, effect: Effect) -> Outcome:
    """The result of a call; one that holds nothing that can be passed on counts as failed."""
    texts = [text for part in result.content if (text := _text(part)) is not None]
    refused = [_refusal(part) for part in result.content if _text(part) is None]
    if not texts and result.structured_content is not None:
        texts = [json.encode(result.structured_content).decode()]
    failed = result.is_error or (bool(refused) and not texts)
    return Outcome("\n".join([*texts, *refused]) or "(no content)", failed=failed, effect=effect)


def _text(part: Part) -> str | None:
    match part:
        case TextContent():
            return part.text
        case ResourceLink():
            return f"[a resource of the server: {part.name}, {part.uri}]"
        case EmbeddedResource() if not isinstance(part.resource, BlobResourceContents):
            return part.resource.text
        case _:
            return None


def _refusal(part: Part) -> str:
    match part:
        case ImageContent() | AudioContent():
            what, size = f"{part.type} ({part.mime_type}", len(part.data)
        case EmbeddedResource(resource=BlobResourceContents() as blob):
            what, size = f"binary resource ({blob.mime_type or 'unknown type'}", len(blob.blob)
        case _:
            what, size = "part (unknown type", 0
    return f"[refused: {what}, {size * 3 // 4:,} bytes); only text can be passed on]"
