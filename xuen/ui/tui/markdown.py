"""Markdown as rows of styled text.

Owns what of Markdown is shown as form: headings, lists, emphasis, code, quotes, tables. Links, images, entities and
HTML stay the text that they are, so nothing that an agent wrote can act or disappear. Each line of a paragraph stays
a line. Nothing here reads Textual's or rich's own markup.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from functools import cache
from itertools import accumulate
from typing import TYPE_CHECKING, ClassVar, Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement, Paragraph
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from rich.theme import Theme

from xuen.ui.tui.wrap import wrap

if TYPE_CHECKING:
    from rich.console import JustifyMethod

MAX_CHARACTERS = 20_000
"""Longer texts are shown as they are."""
MIN_WIDTH = 20
"""Narrower panels too."""

_AS_TEXT = ["link", "image", "autolink", "html_block", "html_inline", "entity", "reference"]

Part = Literal["heading", "code", "quote", "bullet", "rule"]
"""What has a colour of its own; the panel has them from its style sheet."""


class _Heading(Heading):
    LEVEL_ALIGN: ClassVar[dict[str, JustifyMethod]] = {f"h{level}": "left" for level in range(1, 7)}


class _Paragraph(Paragraph):
    """Text wrapped as everywhere on the screen: rich breaks at blanks only, which Chinese has none of."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for line in self.text.split("\n", allow_blank=True):
            ends = list(accumulate(len(row) for row in wrap(line.plain, options.max_width)))
            for row in line.divide(ends[:-1]):
                row.rstrip()
                row.no_wrap = True
                yield row


class _Code(CodeBlock):
    """Code as it stands, indented; colours by language would need a parser for each."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Text(str(self.text).rstrip("\n"), style=console.get_style("markdown.code"), overflow="fold")
        yield Padding(code, (0, 0, 0, 2))


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _Heading,
        "paragraph_open": _Paragraph,
        "fence": _Code,
        "code_block": _Code,
    }


def render(text: str, width: int, styles: Mapping[Part, Style], *, mark: str = "") -> list[list[Segment]]:
    """The rows of a text, each at most `width` cells; `mark` goes directly before its first word."""
    tokens = _parser().parse(text)
    _keep_line_breaks(tokens)
    if mark:
        tokens = _marked(tokens, mark)
    document = _Markdown("")
    document.parsed = tokens
    console = Console(
        file=io.StringIO(),
        width=width,
        theme=_theme(styles),
        force_terminal=True,
        color_system="truecolor",
        emoji=False,
    )
    rows = console.render_lines(document, console.options.update(width=width, height=None), pad=False)
    return [[segment for segment in row if segment.text and not segment.control] for row in rows]


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt().enable("strikethrough").enable("table").disable(_AS_TEXT)


def _keep_line_breaks(tokens: list[Token]) -> None:
    for token in tokens:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"


def _marked(tokens: list[Token], mark: str) -> list[Token]:
    """With the mark in the first paragraph or heading if the text begins with one, else in one of its own."""
    text = Token("text", "", 0, content=mark)
    if len(tokens) > 1 and tokens[0].type in ("paragraph_open", "heading_open"):
        tokens[1].children = [text, *(tokens[1].children or ())]
        return tokens
    inline = Token("inline", "", 0, content=mark, children=[text])
    return [Token("paragraph_open", "p", 1), inline, Token("paragraph_close", "p", -1), *tokens]


def _theme(styles: Mapping[Part, Style]) -> Theme:
    plain, heading, code = Style(), styles["heading"], styles["code"]
    named = {f"h{level}": heading for level in range(1, 7)} | {
        "paragraph": plain,
        "text": plain,
        "em": Style(italic=True),
        "strong": Style(bold=True),
        "s": Style(strike=True),
        "code": code,
        "code_block": code,
        "block_quote": styles["quote"],
        "item.bullet": styles["bullet"],
        "item.number": styles["bullet"],
        "hr": styles["rule"],
        "table.border": styles["rule"],
        "table.header": Style(bold=True),
    }
    return Theme({f"markdown.{name}": style for name, style in named.items()})
