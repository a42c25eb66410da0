"""`xuen init`: a configuration file to begin from, with every key, its default and what it means.

Owns the new file. Refuses to replace one, or to put one before another of the usual names.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from xuen.cli.again import again
from xuen.cli.output import Output
from xuen.cli.parser import Options
from xuen.cli.settings import Settings
from xuen.config.load import EXAMPLE, NAMES, find_config
from xuen.errors import UsageError, reason_of
from xuen.files.durable import create_bytes
from xuen.texts import init as texts
from xuen.texts import plain, shared


def run(options: Options, settings: Settings, output: Output) -> int:
    """Write the file and say what to edit first.

    Raises:
        UsageError: there is a configuration file already, or it cannot be written.
    """
    path = find_config(options.config, Path()) or Path(NAMES[0])
    try:
        create_bytes(path, _content(settings, path.parent).encode())
    except FileExistsError:
        raise UsageError(texts.IS_THERE, where=str(path), mend=texts.EDIT_IT) from None
    except OSError as error:
        what = texts.NOT_WRITTEN.of(reason=reason_of(error))
        raise UsageError(what, where=str(path), mend=shared.CHECK_PATH) from None
    program, own = again(options)
    output.say(texts.WRITTEN.of(path=plain(str(path))), "good")
    output.say(texts.EDIT_FIRST.of(call=f"{program} doctor{own}"))
    return 0


def _content(settings: Settings, folder: Path) -> str:
    """The example with the settings that were given on the command line; `folder` is that of the new file."""
    content, config = EXAMPLE.read_text("utf-8"), settings.config
    place = config.workspace if Path(config.workspace).is_absolute() else os.path.relpath(config.workspace, folder)
    for key, value in (("workspace", place), ("language", config.language)):
        if key in settings.options:
            line = f"{key}: {json.dumps(value, ensure_ascii=False)}"  # text in YAML as well
            content = re.sub(rf"(?m)^{key}: .*$", line.replace("\\", r"\\"), content, count=1)
    return content
