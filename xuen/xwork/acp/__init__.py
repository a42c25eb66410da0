"""xwork behind the Agent Client Protocol, so that editors and other hosts can drive it."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec

from xuen.stop import Stop
from xuen.texts import acp as texts
from xuen.texts import plain
from xuen.xwork.errors import BadUse


def serve(options: argparse.Namespace, stop: Stop) -> int:
    """Serve one client over standard input and output until it goes or `stop` is set; the exit code.

    Raises:
        BadUse: the package is not installed, or the options make no sense.
    """
    if find_spec("acp") is None:
        python = plain(sys.executable)
        raise BadUse(texts.PACKAGE_MISSING.of(python=python), mend=texts.PACKAGE_MEND.of(python=python))
    from xuen.xwork.acp.server import run

    return run(options, stop)
