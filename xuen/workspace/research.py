"""research.md as a value: two sections between four marker lines, and text around them that is the user's.

Owns parsing and putting sections back; pure, touches no file. The grammar itself stands in `section_script`,
because the copied-out write_section.py must read files in exactly the same way.

What always holds: text outside the sections survives every change byte for byte; a section that is put in comes
out again byte for byte; a file that is not surely well-formed is `DamagedResearch` and is never changed.
A marker counts only when alone on a line, so prose may mention one. Lines end with LF only: the CR of a file that
was saved on Windows belongs to the line, and U+2028, VT and FF are characters like any other.
"""

from __future__ import annotations

from dataclasses import dataclass

from xuen.errors import DamagedResearch
from xuen.texts import Text
from xuen.workspace import section_script
from xuen.workspace.section_script import MARKERS


@dataclass(frozen=True, slots=True)
class Sections:
    """The two sections' content; one final newline of each is not part of it."""

    idea: str
    artifact: str


@dataclass(frozen=True, slots=True)
class Research:
    """A well-formed research.md, as bytes and as the sections in it."""

    data: bytes
    sections: Sections

    @property
    def title(self) -> str | None:
        """The first heading above the sections, without its `# `; None if there is none."""
        first_marker = section_script.marker_lines(self.data)[0][1]
        above = self.data[:first_marker].decode("utf-8-sig")
        return next((line[2:].strip() for line in above.split("\n") if line.startswith("# ")), None)

    def with_sections(self, sections: Sections) -> bytes:
        """The file with these sections; a section that does not differ keeps even its blank lines.

        Raises:
            ValueError: a content holds a marker line or a lone surrogate.
        """
        data = self.data
        for name in section_script.SECTIONS:
            content = str(getattr(sections, name))
            if content != getattr(self.sections, name):
                try:
                    data = section_script.with_section(data, name, content.encode())
                except section_script.Refused as refused:
                    raise ValueError(refused.en) from None
        return data


def parse(data: bytes) -> Research:
    """Find the sections.

    Raises:
        DamagedResearch: not UTF-8, or not exactly one of each marker line in their order.
    """
    try:
        spans = section_script.section_spans(data)
    except section_script.Refused as refused:
        raise DamagedResearch(Text(refused.en, refused.zh)) from None
    found = {name: data[start:end].decode().removesuffix("\n") for name, (start, end) in spans.items()}
    return Research(data, Sections(**found))


def parse_or_none(data: bytes | None) -> Research | None:
    """Like `parse`, but None for a damaged file or for no file at all."""
    if data is None:
        return None
    try:
        return parse(data)
    except DamagedResearch:
        return None


def new_research(task: str) -> bytes:
    """The file that a new workspace starts with: the task's first line as title, both sections empty."""
    idea_begin, idea_end, artifact_begin, artifact_end = (marker.decode() for marker in MARKERS)
    return (f"# {title_of(task)}\n\n{idea_begin}\n{idea_end}\n\n{artifact_begin}\n{artifact_end}\n").encode()


def title_of(task: str) -> str:
    """A task as one line: its first line that is not blank, without control characters and lone surrogates."""
    first = next((line for line in task.splitlines() if line.strip()), "")
    return "".join(each if each.isprintable() else " " for each in first).strip()
