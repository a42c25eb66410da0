"""What a tool is: a name, a sentence for the model, typed arguments, and a function.

Always holds: a tool's JSON schema is made from the struct that its arguments are decoded into, so the model is told
exactly what is checked; a tool says what it changed (`Effect`), nobody guesses it from its name.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Annotated, Any, Generic, TypeVar

import msgspec
from msgspec import Meta

from xuen.xwork.messages import ToolDefinition
from xuen.xwork.policy.permission import Resource, Risk
from xuen.xwork.tools.context import ToolContext
from xuen.xwork.tools.outcome import Outcome, ToolError

Count = Annotated[int, Meta(ge=1)]
MOST = 10_000
"""Entries or lines of one result at most."""
PathText = Annotated[str, Meta(description="Relative to the workspace")]


class Arguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What all arguments share: a name that the tool does not know is an error that names it."""


A = TypeVar("A", bound=Arguments)


class Tool(Generic[A]):
    """One tool."""

    def __init__(
        self,
        name: str,
        description: str,
        arguments: type[A],
        run: Callable[[A, ToolContext], Outcome],
        *,
        risk: Risk,
        resources: Callable[[A], tuple[Resource, ...]],
        repeats: bool = False,
    ) -> None:
        self.name = name
        self.risk = risk
        self.writes = risk is Risk.WRITE  # its purpose is to change files
        self.repeats = repeats  # it is meant to be called repeatedly
        self._arguments = arguments
        self._run = run
        self._resources = resources
        self._description = description

    @cached_property
    def definition(self) -> ToolDefinition:
        """The tool as a model is told about it; made when it is first wanted, an import should cost nothing."""
        return ToolDefinition(self.name, self._description, _schema(self._arguments))

    def decode(self, raw: str) -> A:
        """The arguments of a call.

        Raises:
            ToolError: they are not what the schema says; names what is wrong.
        """
        schema = self.definition.parameters
        try:
            given = without_nulls(msgspec.json.decode(raw), schema)
            # Numbers and truth values that a model wrote as strings are taken for what they say.
            return msgspec.convert(given, self._arguments, strict=False)
        except msgspec.DecodeError as error:  # a ValidationError too
            names = ", ".join(schema["properties"])  # type: ignore[arg-type]
            raise ToolError(f"wrong arguments: {error}. The arguments of {self.name} are: {names}") from error

    def resources(self, arguments: A) -> tuple[Resource, ...]:
        """What the call is about."""
        return self._resources(arguments)

    def run(self, arguments: A, context: ToolContext) -> Outcome:
        """Carry it out; raises ToolError, PathRefused or OSError."""
        return self._run(arguments, context)


AnyTool = Tool[Any]


def path_of(arguments: Any) -> tuple[Resource, ...]:
    """The resource of tools with one `path`."""
    return (Resource("path", arguments.path),)


def process_of(arguments: Any) -> tuple[Resource, ...]:
    """The resource of tools with a `process_id`."""
    return (Resource("process", arguments.process_id),)


def command_of(arguments: Any) -> tuple[Resource, ...]:
    """The resources of tools with a `command`."""
    return (Resource("command", arguments.command), Resource("path", arguments.cwd))


def without_nulls(given: object, schema: Mapping[str, Any]) -> Any:
    """The arguments of a call without optional ones that are null; models that must name all write null for absent.

    An argument whose schema takes null as a value keeps it.
    """
    properties = schema.get("properties")
    if not isinstance(given, dict) or not isinstance(properties, dict):
        return given
    optional = properties.keys() - set(schema.get("required") or ())
    return {
        name: value
        for name, value in given.items()
        if value is not None or name not in optional or _takes_null(properties[name])
    }


def _takes_null(schema: object) -> bool:
    match schema:
        case {"type": list(kinds)}:
            return "null" in kinds
        case {"type": kind}:
            return bool(kind == "null")
        case {"anyOf": list(choices)} | {"oneOf": list(choices)}:
            return any(map(_takes_null, choices))
        case {"enum": list(values)}:
            return None in values
        case {"$ref": _} | {"allOf": _} | {"const": _}:
            return False
    return True


def _schema(arguments: type[Arguments]) -> dict[str, object]:
    (_,), components = msgspec.json.schema_components([arguments])
    schema: dict[str, object] = dict(components[arguments.__name__])
    schema.pop("title", None)
    schema.pop("description", None)  # of the struct, for readers of the code
    return schema
