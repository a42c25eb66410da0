"""Texts of xwork that tools raise with."""

from xuen.texts.xwork import INTERRUPTED

__all__ = ["INTERRUPTED"]
