"""From settings to a client of a model server."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from xuen.texts import plain
from xuen.texts import xwork as texts
from xuen.xwork.config import AgentConfig
from xuen.xwork.errors import BadUse
from xuen.xwork.model.client import ModelClient

ANTHROPIC: Final = "api.anthropic.com"
SCRIPT: Final = "script:"
"""How a model's name begins that is a script's file."""


def connect(config: AgentConfig) -> ModelClient:
    """The client that `base_url`, `model` and `api_key_env` ask for.

    Raises:
        BadUse: no address, or no model.
    """
    url = config.base_url
    if not url and config.model and config.model.startswith(SCRIPT):
        from xuen.xwork.model.scripted import ScriptedModel

        return ScriptedModel.from_file(Path(config.model.removeprefix(SCRIPT)))
    if not url:
        raise BadUse(texts.BAD_URL.of(url=plain(repr(url or ""))), mend=texts.BAD_URL_MEND)
    if not config.model:
        raise BadUse(texts.NO_MODEL.of(url=plain(url)), mend=texts.NO_MODEL_MEND)
    from xuen.xwork.model.openai_compatible import OpenAICompatible, checked

    if checked(url).lower().removeprefix("https://").split("/")[0] == ANTHROPIC:
        from xuen.xwork.model.anthropic import KEY, Anthropic

        # The default variable is that of the other protocol; a variable that somebody named is meant.
        variable = KEY if config.api_key_env == "OPENAI_API_KEY" else config.api_key_env
        return Anthropic(url, config.model, key=os.environ.get(variable) or None, key_variable=variable)
    key = os.environ.get(config.api_key_env) or None
    return OpenAICompatible(
        url, config.model, key=key, key_variable=config.api_key_env, context_tokens=config.context_tokens
    )
