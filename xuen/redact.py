"""What is shown or stored, without the secrets in it: user names and passwords in addresses, and what looks like a key.

Pure; standard library only. Takes away too much rather than too little where an address is malformed.
"""

from __future__ import annotations

import re

_USERINFO = re.compile(r"(?<=://)[^/?#\s]*@")
_PARTS = re.compile(r"((?:[\w+.-]*:)?//|)([^/?#]*)(.*)", re.DOTALL)  # fits every text
_HOST_AND_PORT = re.compile(r"(?:\[[^\]]*\]|[^:]*)(?::\d*)?")
_KEYS = re.compile(
    r"\b(?:gh[opsur]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|sk-[\w-]{16,}|AKIA[0-9A-Z]{16}|AIza[\w-]{30,}"
    r"|xox[abprs]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w-]{10,}\.[\w-]{10,})|(?<=[Bb]earer )[\w.~+/-]{12,}=*",
    re.ASCII,
)


def url(address: str) -> str:
    """An address without its user name, password, query and fragment; it need not be a valid one.

    >>> url("http://user:secret@host:8080/v1?key=secret")
    'http://host:8080/v1'
    """
    parts: tuple[str, str, str] = _PARTS.findall(address)[0]
    scheme, authority, rest = parts
    if "@" in authority:
        authority = authority.rpartition("@")[2]
    elif not _HOST_AND_PORT.fullmatch(authority):  # such as `user:se/cret@host`: the password itself holds a slash
        authority, rest = "", f"{authority}{rest}".rpartition("@")[2]
    return scheme + authority + re.split(r"[?#]", rest, maxsplit=1)[0]


def text(said: str) -> str:
    """What another program printed, without user names and passwords of addresses, and `***` for keys and tokens."""
    return _KEYS.sub("***", _USERINFO.sub("", said))
