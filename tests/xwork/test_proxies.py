"""Proxies and certificates that the environment names: they work, or one line names the variable and the fix.

As public reports have it: omnigent-ai/omnigent#4245, can4hou6joeng4/boss-agent-cli#412, stabldev/torrra#28.
"""

import socket
import subprocess
import sys
import threading

import pytest

from xuen.xwork.errors import BadUse, Retryable
from xuen.xwork.messages import User
from xuen.xwork.model.client import Options
from xuen.xwork.model.http import proxy_for
from xuen.xwork.model.openai_compatible import OpenAICompatible

FAR = "http://model.invalid/v1"  # a name that no resolver knows, so only a proxy reaches it
VARIABLES = [
    *(f"{kind}_{name}" for kind in ("http", "https", "all", "no") for name in ("proxy", "PROXY")),
    *("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "SSLKEYLOGFILE"),
]
ANSWER = b'data: {"choices":[{"delta":{"content":"fine"},"finish_reason":"stop"}]}\n\n'


@pytest.fixture(autouse=True)
def unset(monkeypatch):
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def xwork(tmp_path, environment):
    """Runs one task against a server: exit code, standard output, standard error."""

    def run(url, *, program=("-m", "xuen.xwork"), **env):
        argv = [sys.executable, *program, "run", "go", "--workspace", str(tmp_path), "--base-url", url, "--model", "m"]
        named = environment(**env)
        done = subprocess.run(argv, env=named, capture_output=True, encoding="utf-8", timeout=60, check=False)
        return done.returncode, done.stdout, done.stderr

    return run


@pytest.fixture
def socks(model_server):
    """A SOCKS5 proxy that leads to the model server whatever it is asked for: its address, and the hosts asked for."""
    listening = socket.create_server(("127.0.0.1", 0))
    asked = []

    def pass_on(source, target):
        while data := source.recv(65_536):
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)

    def serve():
        with listening.accept()[0] as client:
            client.recv(1_000)
            client.sendall(b"\x05\x00")  # no password is needed
            request = client.recv(1_000)
            asked.append(request[5 : 5 + request[4]].decode())
            client.sendall(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
            with socket.create_connection(("127.0.0.1", int(model_server.url.split(":")[2].split("/")[0]))) as server:
                back = threading.Thread(target=pass_on, args=(server, client))
                back.start()
                pass_on(client, server)
                back.join()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"127.0.0.1:{listening.getsockname()[1]}", asked
    listening.close()


@pytest.mark.parametrize("kind", ["socks5", "socks5h", "socks"])
def test_a_server_behind_a_socks_proxy_is_reached(xwork, model_server, say, socks, kind):
    model_server.replies = [say.stream(ANSWER)]
    address, asked = socks
    assert xwork(FAR, ALL_PROXY=f"{kind}://{address}") == (0, "fine\n", "")
    assert asked == ["model.invalid"]


def test_a_server_behind_a_usual_proxy_is_reached(xwork, model_server, say):
    model_server.replies = [say.stream(ANSWER)]
    assert xwork(FAR, http_proxy=model_server.url.removeprefix("http://").removesuffix("/v1")) == (0, "fine\n", "")
    assert model_server.headers[0]["host"] == "model.invalid"


def test_without_the_library_a_line_says_how_to_get_it(xwork):
    program = ("-c", "import sys; sys.modules['socksio'] = None\nfrom xuen.xwork.cli import main; sys.exit(main())")
    code, _, said = xwork(FAR, program=program, ALL_PROXY="socks5://127.0.0.1:9")
    assert code == 2 and said.count("\n") == 1
    assert "ALL_PROXY names a SOCKS proxy" in said and "pip install socksio" in said


@pytest.mark.parametrize(
    ("url", "env", "words"),
    [
        (FAR, {"HTTP_PROXY": "socks4://127.0.0.1:9"}, "HTTP_PROXY names a proxy that cannot be used: socks4://"),
        (FAR, {"ALL_PROXY": "ftp://user:secret@127.0.0.1:9"}, "or socks5://, or unset ALL_PROXY"),
        (FAR, {"http_proxy": "http://h:port"}, "http_proxy names a proxy"),
        ("https://127.0.0.1:9/v1", {"SSL_CERT_FILE": "/nonexistent"}, "SSL_CERT_FILE names a file for TLS"),
        ("https://127.0.0.1:9/v1", {"SSL_CERT_FILE": __file__}, "SSL_CERT_FILE names a file for TLS"),
        ("https://127.0.0.1:9/v1", {"SSLKEYLOGFILE": "/nonexistent/log"}, "SSLKEYLOGFILE names a file for TLS"),
        ("http://model..invalid/v1", {}, "is not the address of a model server"),
        ("http://xn--a/v1", {}, "is not the address of a model server"),
        ("http://h/" + "a" * 70_000, {}, "is not the address of a model server"),
    ],
)
def test_what_the_library_refuses_when_it_is_made_is_one_line(xwork, url, env, words):
    code, _, said = xwork(url, **env)
    assert code == 2 and said.count("\n") == 1 and len(said) < 1_000
    assert words in said and "secret" not in said
    assert "waits" not in xwork(url, **env)[2]  # no prompt was written down


def test_a_proxy_that_is_not_there_is_named(monkeypatch):
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    client = OpenAICompatible(FAR, "m")
    with pytest.raises(Retryable, match="through the proxy that HTTP_PROXY names"):
        list(client.complete([User("q")], options=Options(), cancel=threading.Event()))
    client.close()


def test_only_the_proxy_for_the_address_counts(monkeypatch):
    monkeypatch.setenv("HTTPS_PROXY", "nonsense://x")
    monkeypatch.setenv("ALL_PROXY", "http://a:1")
    monkeypatch.setenv("NO_PROXY", "near.invalid")
    assert proxy_for(FAR).url == "http://a:1" and proxy_for("https://model.invalid").variable == "HTTPS_PROXY"
    assert proxy_for("http://user@near.invalid:8/v1") is None
    assert all(proxy_for(f"http://{host}:1/v1") is None for host in ("localhost", "127.0.0.1", "[::1]"))
    with pytest.raises(BadUse):
        OpenAICompatible("https://model.invalid/v1", "m")
    OpenAICompatible(FAR, "m").close()
