"""No password of an address and no key is shown or stored."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace

import pytest

from xuen import redact
from xuen.agent.call import Outcome
from xuen.agent.causes import sign_of, why_failed
from xuen.agent.resolve import resolve
from xuen.config.model import AgentSettings, XworkSettings
from xuen.errors import ConfigError, UserError
from xuen.events import Why
from xuen.xwork.errors import BadUse
from xuen.xwork.model.server import checked

KEY = "sk-" + "0123456789abcdef" * 2


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://user:secret@host:8080/v1", "http://host:8080/v1"),
        ("http://user:sec@ret@host/v1", "http://host/v1"),
        ("http://secret@host", "http://host"),
        ("http://host/v1?key=secret#secret", "http://host/v1"),
        ("user:secret@host/v1", "host/v1"),
        ("//user:secret@host/v1", "//host/v1"),
        ("http://user:sec/ret@host/v1", "http://host/v1"),
        ("http://user:sec?ret@host/v1", "http://host/v1"),
        ("http://user:sec ret@host", "http://host"),
        ("http://user:sec\nret@host", "http://host"),
        ("https://host/v1/@cf/model", "https://host/v1/@cf/model"),
        ("http://[::1]:8080/@v1", "http://[::1]:8080/@v1"),
        ("http://host:port/v1", "http://host:port/v1"),
        ("nonsense", "nonsense"),
        ("", ""),
    ],
)
def test_an_address_is_shown_without_what_lets_somebody_in(address: str, shown: str) -> None:
    assert redact.url(address) == shown


def test_what_a_program_printed_is_shown_without_keys_and_passwords() -> None:
    said = f"cannot GET http://me:secret@h/x?a=b@c with {KEY}, Bearer abc.def-0123456789=, see http://h/@scope"
    assert redact.text(said) == "cannot GET http://h/x?a=b@c with ***, Bearer ***, see http://h/@scope"
    assert redact.text(redact.text(said)) == redact.text(said)


@pytest.mark.parametrize("address", ["ftp://user:secret@host/v1", "user:secret@host/v1", "http://user:se/cret@host"])
def test_an_address_that_cannot_be_used_is_refused_without_its_password(address: str) -> None:
    with pytest.raises(BadUse) as refused:
        checked(address)
    told: list[UserError] = [refused.value]
    if not address.startswith("http"):
        with pytest.raises(ConfigError) as wrong:
            resolve(AgentSettings(), XworkSettings(base_url=address, model="m"))
        told.append(wrong.value)
    for error in told:
        assert "host" in error.line("en") and "cret" not in error.line("en") + error.line("zh")


@pytest.mark.parametrize("address", ["http://user:secret@127.0.0.1:9/v1", "user:secret@127.0.0.1:9"])
def test_doctor_shows_no_password_of_the_model_server(address: str, xuen) -> None:
    done = xuen("doctor", "--base-url", address, "--model", "m")
    assert done.returncode == 1
    assert "127.0.0.1:9" in done.stdout and "secret" not in done.stdout + done.stderr


def test_a_server_that_cannot_be_reached_is_told_without_its_password(tmp_path, environment) -> None:
    argv = [sys.executable, "-m", "xuen.xwork", "run", "go", "--workspace", str(tmp_path), "--max-turns", "1"]
    program = (
        "import sys\nfrom xuen.xwork import Agent, AgentConfig\nfrom xuen.xwork.errors import ModelError\n"
        "from xuen.xwork.model.retry import Patience\n"
        "config = AgentConfig(workspace=sys.argv[1], base_url='http://user:secret@127.0.0.1:9/v1', model='m',\n"
        "    patience=Patience(tries=2, first=0.0))\n"
        "try:\n    Agent(config, listener=print).run('go')\nexcept ModelError as error:\n    print(error.line('en'))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], env=environment(), capture_output=True, text=True, check=True
    )
    assert done.stdout.count("http://127.0.0.1:9/v1/chat/completions cannot be reached") == 2
    nameless = subprocess.run(
        [*argv, "--base-url", "http://user:secret@127.0.0.1:9/v1"],
        env=environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert nameless.returncode == 2 and "http://127.0.0.1:9/v1" in nameless.stderr
    journal = (tmp_path / ".xwork/session.jsonl").read_text()
    assert "secret" not in done.stdout + done.stderr + nameless.stderr + journal


def test_what_a_failed_agent_printed_last_is_told_without_its_key() -> None:
    printed = f"Incorrect API key provided: {KEY}"
    failed = Outcome(Why.FAILED, 1, 2.0, "", f"{printed}\nat http://me:secret@proxy/")
    assert "at http://proxy/" in why_failed(replace(failed, stderr="at http://me:secret@proxy/")).en
    sign = sign_of(failed)
    assert sign is not None and "Incorrect API key provided: ***" in sign.text.en
    long = Outcome(Why.FAILED, 1, 2.0, "", f"{'x ' * 300}{KEY}{' y' * 80} {printed}")
    cut = sign_of(long)
    assert cut is not None and "0123456789" not in json.dumps([cut.text.en, cut.text.zh])
