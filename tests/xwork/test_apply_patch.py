"""`apply_patch`: where chunks go, what stays untouched, and all or nothing."""

import difflib
import os
import stat

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from xuen.xwork.agent import Stopped
from xuen.xwork.policy.paths import PathRefused
from xuen.xwork.tools.apply_patch import TOOL
from xuen.xwork.tools.outcome import ToolError
from xuen.xwork.tools.patch.grammar import parse
from xuen.xwork.tools.patch.placing import apply


@pytest.fixture
def patch(context, work):
    """Applies a patch body; returns the result's text."""

    def run(*lines: str, raw: str | None = None) -> str:
        text = raw if raw is not None else "\n".join(["*** Begin Patch", *lines, "*** End Patch"])
        return TOOL.run(TOOL.decode(msgspec.json.encode({"patch": text}).decode()), context).text

    return run


def tree(folder) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def test_add_update_move_and_delete_in_one_patch(patch, work):
    (work / "a.txt").write_text("one\ntwo\nthree\n")
    (work / "old.txt").write_text("x\n")
    (work / "name.txt").write_text("k\nv\n")
    told = patch(
        "*** Add File: new/deep/n.txt", "+hello", "+", "*** Update File: a.txt", "@@", " one", "-two", "+2", " three",
        "*** Delete File: old.txt", "*** Update File: name.txt", "*** Move to: other.txt", "@@", "-v", "+w",
    )  # fmt: skip
    assert tree(work) == {"a.txt": b"one\n2\nthree\n", "new/deep/n.txt": b"hello\n\n", "other.txt": b"k\nw\n"}
    assert told.splitlines()[1:] == ["A new/deep/n.txt", "M a.txt", "D old.txt", "M name.txt -> other.txt"]


@pytest.mark.parametrize(
    ("before", "lines", "after"),
    [
        (b"a\r\nb\r\nc\r\n", ["@@", " a", "-b", "+B", " c"], b"a\r\nB\r\nc\r\n"),
        (b"\xef\xbb\xbfa\r\nb\r\n", ["@@", "-a", "+A"], b"\xef\xbb\xbfA\r\nb\r\n"),
        (b"a\nb\r\nc\n", ["@@", " a", " b", "-c", "+C"], b"a\nb\r\nC\n"),
        (b"a\nb", ["@@", " a", "-b", "+B"], b"a\nB"),
        (b"a\nb", ["@@", " b", "+c"], b"a\nb\nc"),
        (b"a\nb\n", ["@@", "+c"], b"a\nb\nc\n"),
        (b"x\r\na", ["@@", " a", "+b"], b"x\r\na\r\nb"),
        (b"", ["@@", "+c"], b"c\n"),
        (b"a\nb\n", ["@@ a", "+n"], b"a\nn\nb\n"),
        (b"a\nx\nb\nx\n", ["@@ b", "-x", "+y"], b"a\nx\nb\ny\n"),
        (b"a\nx\nb\nx\n", ["@@ b", " b", "-x", "+y"], b"a\nx\nb\ny\n"),
        (b"x\nx\n", ["@@", "-x", "+1", "@@", "-x", "+2"], b"1\n2\n"),
        (b"a\nx\nz\nx\n", ["@@", "-x", "+E", "*** End of File"], b"a\nx\nz\nE\n"),
        (b"    foo\n    end\n", ["@@", "-foo", "+bar", "+  baz", " end"], b"    bar\n      baz\n    end\n"),
        (b"def f():\n\treturn 1  \n", ["@@", " def f():", "-\treturn 1", "+\treturn 2"], b"def f():\n\treturn 2\n"),
        ("say “hi” – now\n".encode(), ["@@", '-say "hi" - now', "+said"], b"said\n"),
        (b"a\n\nb\n", ["@@", " a", "", "-b", "+c"], b"a\n\nc\n"),
        (b"class A:\n run\n x\nclass B:\n run\n x\n", ["@@ class B:", "@@  run", "- x", "+ y"],
         b"class A:\n run\n x\nclass B:\n run\n y\n"),
        (b"a\nb\n", [" a", "-b", "+c"], b"a\nc\n"),
        (b"a\nb\n", ["@@ -1,2 +1,2 @@", " a", "-b", "+c", ""], b"a\nc\n"),
    ],
)  # fmt: skip
def test_only_what_the_patch_names_is_different(patch, work, before, lines, after):
    (work / "f").write_bytes(before)
    patch("*** Update File: f", *lines)
    assert (work / "f").read_bytes() == after


@pytest.mark.parametrize(
    ("lines", "part"),
    [
        (["*** Update File: f", "@@", "-x", "+y"], "several places (lines 2, 4)"),
        (["*** Update File: f", "@@", "-nothing", "+y"], "not found"),
        (["*** Update File: f", "@@ no heading", "-x", "+y"], "heading"),
        (["*** Update File: f", "@@", "-b", "+B", "@@", "-a", "+A"], "another order"),
        (["*** Update File: f"], "holds no change"),
        (["*** Update File: f", "@@", " a"], "changes nothing"),
        (["*** Add File: f", "+x"], "exists already"),
        (["*** Add File: n", "x"], "begin with '+'"),
        (["*** Delete File: none"], "does not exist"),
        (["*** Update File: none", "@@", "-a", "+b"], "does not exist"),
        (["*** Update File: f", "@@", "-a", "+A", "*** Delete File: ./f"], "twice"),
        (["*** Update File: f", "*** Move to: g"], "exists already"),
        (["*** Add File: ../out", "+x"], "outside"),
        (["*** Add File: f/below", "+x"], "not a folder"),
        (["*** Add File: .xwork/x", "+x"], "belongs to the runtime"),
        (["*** Add File: n", "*** Rename: x"], "is none of"),
        ([], "changes nothing"),
    ],
)
def test_what_cannot_be_done_changes_nothing(patch, work, lines, part):
    (work / "f").write_text("a\nx\nb\nx\n")
    (work / "g").write_text("g\n")
    before = tree(work.parent)
    with pytest.raises((ToolError, PathRefused)) as refused:
        patch("*** Add File: first/n", "+n", *lines) if lines else patch()
    assert part in str(refused.value)
    assert tree(work.parent) == before
    assert not (work / "first").exists()


@pytest.mark.parametrize(("text", "part"), [("", "min_length"), ("x", "begins with"), ("*** Begin Patch\nx", "ends")])
def test_what_is_no_patch_is_said_to_be_none(patch, text, part):
    with pytest.raises(ToolError) as refused:
        patch(raw=text)
    assert part.split("_")[0] in str(refused.value) or "length" in str(refused.value)


def test_blanks_and_a_here_document_around_a_patch_are_passed_over(patch, work):
    patch(raw="<<'EOF'\n*** Begin Patch\n *** Add File: a \n+x\n*** End Patch\nEOF\n")
    assert (work / "a").read_text() == "x\n"


@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_a_write_that_fails_takes_the_others_back(patch, work, context, failing, monkeypatch):
    """The disk fails at the N-th rename or link; a fault put into the system call, not into our own code."""
    (work / "a").write_text("a\n")
    (work / "b").write_text("b\n")
    (work / "a").chmod(0o755)
    before, count = tree(work), 0
    real_replace, real_link, real_unlink = os.replace, os.link, os.unlink

    def counting(real):
        def call(*arguments, **named):
            nonlocal count
            temporary_goes = real is real_unlink and str(arguments[0]).startswith(".xuen-")
            count += 0 if temporary_goes else 1
            if count == failing and not temporary_goes:
                raise OSError(28, "No space left on device")
            return real(*arguments, **named)

        return call

    monkeypatch.setattr(os, "replace", counting(real_replace))
    monkeypatch.setattr(os, "link", counting(real_link))
    monkeypatch.setattr(os, "unlink", counting(real_unlink))
    with pytest.raises(ToolError) as refused:
        patch(
            "*** Update File: a", "@@", "-a", "+A", "*** Add File: d/n", "+n", "*** Delete File: b",
            "*** Add File: last", "+x",
        )  # fmt: skip
    monkeypatch.undo()
    assert "Nothing was changed" in str(refused.value)
    assert tree(work) == before
    assert stat.S_IMODE((work / "a").stat().st_mode) == 0o755
    assert not (work / "d").exists()


def test_what_could_not_be_taken_back_is_said_and_wants_a_check(play, say, work, monkeypatch):
    (work / "a").write_text("a\n")
    (work / "b").write_text("b\n")
    count, real = 0, os.replace

    def failing_for_good(*arguments, **named):
        nonlocal count
        count += 1
        if count > 1:
            raise OSError(28, "No space left on device")
        return real(*arguments, **named)

    body = "*** Begin Patch\n*** Update File: a\n-a\n+A\n*** Update File: b\n-b\n+B\n*** End Patch"
    one = play(say.calls(("apply_patch", {"patch": body})), "done", reminders=0)
    monkeypatch.setattr(os, "replace", failing_for_good)
    with pytest.raises(Stopped):
        one.agent.run("go")
    monkeypatch.undo()
    assert "could not be put back" in one.results()[0] and (work / "a").read_text() == "A\n"


def test_permissions_stay_also_when_a_file_is_renamed(patch, work):
    (work / "run.sh").write_text("a\n")
    (work / "run.sh").chmod(0o750)
    patch("*** Update File: run.sh", "*** Move to: bin/go.sh", "@@", "-a", "+b")
    assert stat.S_IMODE((work / "bin" / "go.sh").stat().st_mode) == 0o750


@pytest.mark.parametrize(("content", "part"), [(b"a\0b\n", "binary"), (b"caf\xe9\n", "not UTF-8")])
def test_files_that_are_no_text_are_refused(patch, work, content, part):
    (work / "f").write_bytes(content)
    with pytest.raises(ToolError, match=part):
        patch("*** Update File: f", "@@", "-a", "+b")
    assert (work / "f").read_bytes() == content


# --- whatever the file and the change are ---

LINES = st.lists(st.sampled_from(["a", "b", "  a", "", "x y", "\u8bcd", "\ta"]), max_size=14)


@settings(max_examples=300, deadline=None)
@given(
    before=LINES, after=LINES, context=st.integers(0, 3), newline=st.sampled_from(["\n", "\r\n"]), ended=st.booleans()
)
def test_a_patch_gives_exactly_the_new_text_or_is_refused(before, after, context, newline, ended):
    """Chunks made by difflib, with any amount of context: never applied in a wrong place."""
    chunks = []
    for group in difflib.SequenceMatcher(None, before, after, autojunk=False).get_grouped_opcodes(context):
        body = ["@@"]
        for kind, i1, i2, j1, j2 in group:
            if kind == "equal":
                body += [f" {line}" for line in before[i1:i2]]
            else:
                body += [f"-{line}" for line in before[i1:i2]] + [f"+{line}" for line in after[j1:j2]]
        chunks += body
    if not chunks or not before:
        return
    patch = "\n".join(["*** Begin Patch", "*** Update File: f", *chunks, "*** End Patch"])
    text = newline.join(before) + (newline if ended else "")
    if not ended and before[-1] == "":
        return  # the same bytes as a file that is one line shorter
    if not ended and len(before) == 1:
        newline = "\n"  # nothing in the file says which line ends it has
    (change,) = parse(patch)
    try:
        got = apply(text, change.chunks, "f")
    except ToolError:
        return
    if any(not chunk.old for chunk in change.chunks):
        return  # an addition without context goes to the end, by definition
    assert got == (newline.join(after) + (newline if ended and after else "") if after else "")


def test_a_patch_with_three_lines_of_context_is_applied():
    before = [f"line {n}" for n in range(50)]
    after = [*before[:10], "new", *before[12:40], "changed", *before[41:]]
    applied = 0
    for context in (1, 2, 3):
        chunks = []
        for group in difflib.SequenceMatcher(None, before, after).get_grouped_opcodes(context):
            chunks.append("@@")
            for _, i1, i2, j1, j2 in group:
                if before[i1:i2] == after[j1:j2]:
                    chunks += [f" {line}" for line in before[i1:i2]]
                else:
                    chunks += [f"-{line}" for line in before[i1:i2]] + [f"+{line}" for line in after[j1:j2]]
        (change,) = parse("\n".join(["*** Begin Patch", "*** Update File: f", *chunks, "*** End Patch"]))
        applied += apply("\n".join(before) + "\n", change.chunks, "f") == "\n".join(after) + "\n"
    assert applied == 3


@pytest.mark.timeout(60)
def test_many_chunks_are_placed_whatever_they_are_like(patch, work):
    numbered = [f"line {n}" for n in range(6000)]
    (work / "a").write_text("\n".join(numbered) + "\n")
    patch("*** Update File: a", *(line for n in range(0, 6000, 4) for line in ("@@", f"-line {n}", f"+LINE {n}")))
    assert (work / "a").read_text().split()[:4] == ["LINE", "0", "line", "1"]
    (work / "b").write_text("x\n" * 300)
    patch("*** Update File: b", *["@@", "-x", "+y"] * 300)
    assert (work / "b").read_text() == "y\n" * 300
    (work / "c").write_text("x\n" * 5000)
    with pytest.raises(ToolError, match="several places"):
        patch("*** Update File: c", *["@@", "-x", "+y"] * 60)
