"""A section of research.md in its panel: as it stands, or as the agent has just overwritten it."""

from __future__ import annotations

from xuen.ui.tui.widgets.rows import PanelLine, TextRows


class SectionPanel(TextRows):
    """One of the two sections."""

    def show(self, content: str, *, mark: str, empty: str) -> None:
        """Show a content. `mark` stands directly before an overwritten one, `empty` for one without text."""
        self.set_class(bool(mark), "-changed")
        if content or mark:
            self.set_lines([PanelLine("section" if mark else "plain", mark + content, mark=len(mark))])
        else:
            self.set_lines([PanelLine("muted", empty)])
