"""From settings to a model: a server, a script, or the one inside this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from xuen import redact
from xuen.texts import Text, plain
from xuen.texts import xwork as texts
from xuen.xwork.cancel import Cancel
from xuen.xwork.config import AgentConfig
from xuen.xwork.errors import BadUse
from xuen.xwork.events import Fetching, Listener, Notice
from xuen.xwork.model.client import ModelClient
from xuen.xwork.request import Request

ANTHROPIC: Final = "api.anthropic.com"
SCRIPT: Final = "script:"
"""How a model's name begins that is a script's file."""


def connect(config: AgentConfig, listener: Listener, cancel: Cancel, request: Request | None = None) -> ModelClient:
    """The model that `base_url`, `model` and `api_key_env` ask for; without a server that of a script or our own.

    Our own is fetched if it must be, and loaded, which `listener` is told of; it is led through `request`.

    Raises:
        BadUse: no address of a server, no model on it, a key that cannot be sent, or a script that cannot be read.
        ModelMissing: xllamacpp or its weights are not there and cannot be had.
        Interrupted: `cancel` was set while they were fetched or loaded.
    """
    if config.base_url:
        return _server(config, config.base_url)
    from xuen.xwork.profile.led import Led

    if config.model and config.model.startswith(SCRIPT):
        from xuen.xwork.model.scripted import ScriptedModel

        script = ScriptedModel.from_file(Path(config.model.removeprefix(SCRIPT)))
        return Led(script, config.workspace, request, uses_tools=True)
    return Led(_embedded(config, listener, cancel), config.workspace, request)


def _server(config: AgentConfig, url: str) -> ModelClient:
    if not config.model:
        raise BadUse(texts.NO_MODEL.of(url=plain(redact.url(url))), mend=texts.NO_MODEL_MEND)
    from xuen.xwork.model.anthropic import Anthropic
    from xuen.xwork.model.openai_compatible import OpenAICompatible
    from xuen.xwork.model.server import checked

    kind = Anthropic if urlsplit(checked(url)).hostname == ANTHROPIC else OpenAICompatible
    # The default of the settings is the variable of OpenAI's protocol; any other one was chosen.
    variable = kind.KEY if config.api_key_env == OpenAICompatible.KEY else config.api_key_env
    return kind(
        url, config.model, key=os.environ.get(variable), key_variable=variable, context_tokens=config.context_tokens
    )


def _embedded(config: AgentConfig, listener: Listener, cancel: Cancel) -> ModelClient:
    from xuen.xwork.model.embedded import EmbeddedModel, require_runtime
    from xuen.xwork.model.weights import weights_file

    require_runtime()  # before 93 MB are fetched for nothing

    def say(text: Text) -> None:
        listener(Notice(level="info", text=text.in_language(config.language)))

    def progress(done: int, total: int) -> None:
        listener(Fetching(done=done, total=total))

    model = EmbeddedModel(weights_file(os.environ, progress=progress, say=say, cancel=cancel))
    model.load(cancel)
    return model
