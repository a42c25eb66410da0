"""Which candidate a user means: its whole id, `r<round>`, the beginning of an id that no other has, or `best`."""

from __future__ import annotations

import re

from xuen.errors import UsageError
from xuen.guard.candidates import kept_ids, round_of
from xuen.guard.history import fold
from xuen.guard.recovery import survey
from xuen.guard.report import history
from xuen.texts import guard as texts
from xuen.texts import plain
from xuen.workspace.paths import Workspace

_ROUND = re.compile(r"r([0-9]{1,18})")
_SHOWN = 80  # characters of what the user typed, and ids that it could mean
_LISTED = 4


def find_id(workspace: Workspace, named: str) -> str:
    """The whole id of the candidate that `named` means.

    Raises:
        UsageError: there is none, or there are several.
        OSError: a file that tells of candidates cannot be read.
    """
    index = fold(history(workspace))
    ids = list(dict.fromkeys([*index.known, *kept_ids(workspace.rounds)]))
    if named in ids:
        return named
    if named == "best" and (best := survey(workspace, index).anchor) is not None:
        return best.id
    if asked := _ROUND.fullmatch(named):
        found = [identity for identity in ids if round_of(identity) == int(asked[1])]
    else:
        found = [identity for identity in ids if named and identity.startswith(named)]
    shown = plain(named[:_SHOWN])
    if len(found) > 1:
        listed = ", ".join(found[:_LISTED]) + (" …" if len(found) > _LISTED else "")
        raise UsageError(texts.SEVERAL_CANDIDATES.of(id=shown, ids=listed), mend=texts.NAME_ONE)
    if not found:
        raise UsageError(texts.NO_SUCH_CANDIDATE.of(id=shown), mend=texts.SEE_STATUS)
    return found[0]
