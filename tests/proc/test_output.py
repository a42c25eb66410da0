"""What an agent prints reaches people clean, whole and bounded."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from xuen.proc.capture import CallLog, Display, HeadTail, Pace
from xuen.proc.output import LINE_LIMIT, LineCutter, clean_line, clean_text, whole_characters


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b[38;2;1;2;3mx\x1b[m", "x"),
        ("\x1b[2Jclear\x1b[H", "clear"),
        ("\x1b[6nreport", "report"),
        ("\x1b[?1049hfull screen\x1b[?1049l", "full screen"),
        ("\x1b]0;title\x07text", "text"),
        ("\x1b]52;c;aGk=\x1b\\text", "text"),
        ("\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1bP1$r0m\x1b\\after", "after"),
        ("\x1b_Gi=1;AAAA\x1b\\after", "after"),
        ("\x1bX start of string \x1b\\after", "after"),
        ("\x1b^privacy\x1b\\after", "after"),
        ("\x1bcreset", "reset"),
        ("\x1b(Bset", "set"),
        ("\x1b#8x", "x"),
        ("\x1b7\x1b8x", "x"),
        ("\u009b2Jx", "x"),
        ("\u009d0;title\u009cx", "x"),
        ("\u0090q\u009cx", "x"),
        ("\u0085x\u008d", "x"),
        ("\x1b]unterminated, the text stays", "unterminated, the text stays"),
        ("\x1bPunterminated", "unterminated"),
        ("\u009dunterminated", "unterminated"),
        ("\u009dunterminated\u0090q\u009cx", "unterminatedx"),
        ("broken off \x1b[", "broken off "),
        ("broken off \x1b[12;", "broken off "),
        ("broken off \x1b", "broken off "),
        ("\x1b[12\x1b[31mx", "x"),
        ("\x1b\x1b[Ax", "x"),
        ("bell\x07 null\x00 back\x08 delete\x7f", "bell null back delete"),
        ("tab\tstays", "tab\tstays"),
        ("form\x0cfeed\x0bline", "formfeedline"),
        ("evil\u202egnp.exe\u2066x\u2069", "evilgnp.exex"),
        ("two\u2028lines", "two lines"),
        ("[/bold] [red]x[/red] [@click=app.quit]y", "[/bold] [red]x[/red] [@click=app.quit]y"),
        ("汉☕ é ü 🧑‍🚀", "汉☕ é ü 🧑‍🚀"),
        ("\u00a0\u00e9", "\u00a0\u00e9"),
    ],
)
def test_terminal_control_is_removed_and_text_stays(raw, shown):
    assert clean_line(raw.encode()) == shown


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        (b"windows\r\n", "windows"),
        (b"10%\r20%\r100%\n", "100%"),
        (b"10%\r20%\r", "20%"),
        (b"\r\r\n", ""),
        (b"a\rb\r\r\n", "b"),
        (b"\xff\xfe", "\ufffd\ufffd"),
        ("汉".encode()[:2], "\ufffd"),
        (b"\x9b2J", "\ufffd2J"),
        (b"\xc2\x00\x9bx", "x"),
    ],
)
def test_rewriting_and_broken_bytes(raw, shown):
    assert clean_line(raw) == shown


def test_strings_that_never_end_are_read_in_one_go():
    for opening in (b"\xc2\x9d", b"\x1b]", b"\x1b[", b"\xc2\x9b", b"\x1b "):
        assert clean_text((opening * 30_000 + "字\n".encode()) * 3) == "字\n字\n字\n"  # 120 seconds at the most


@given(st.binary(max_size=200))
def test_no_bytes_whatever_leave_a_control_character(raw):
    text = clean_line(raw.replace(b"\n", b""))
    assert not [char for char in text if (ord(char) < 32 and char != "\t") or 0x7F <= ord(char) <= 0x9F]
    assert len(text.splitlines()) <= 1
    text.encode()


@given(
    st.text(
        st.characters(
            blacklist_categories=["Cs", "Cc", "Zl", "Zp"],
            blacklist_characters="\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
        )
    )
)
def test_ordinary_text_is_untouched(text):
    assert clean_line(text.encode()) == text


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_long_line_is_cut_and_says_so(language):
    assert clean_line(b"x" * LINE_LIMIT, language) == "x" * LINE_LIMIT
    text = clean_line(("汉" * LINE_LIMIT).encode(), language)
    assert len(text.encode()) <= LINE_LIMIT
    assert "\ufffd" not in text
    kept = text.count("汉")
    assert f"{(LINE_LIMIT - kept) * 3:,}" in text
    assert ("cut" if language == "en" else "截断") in text


def test_five_megabytes_without_a_line_feed_are_one_cut_line():
    cutter = LineCutter()
    for _ in range(50):
        assert cutter.feed(b"y" * 100_000) == b""
    line = clean_line(cutter.finish())
    kept = len(line) - len(line.lstrip("y"))
    assert f"{5_000_000 - kept:,}" in line
    assert len(line) <= LINE_LIMIT


@given(st.binary(max_size=60).map(lambda raw: raw.replace(b"\r", b"-")), st.integers(1, 7))
def test_cutting_gives_back_every_byte_however_it_is_read(raw, step):
    cutter = LineCutter()
    lines = b"".join(cutter.feed(raw[at : at + step]) for at in range(0, len(raw), step)) + cutter.finish()
    assert lines == raw + (b"" if raw.endswith(b"\n") or not raw else b"\n")


@given(st.text(alphabet="ab\r\n", max_size=40), st.integers(1, 5))
def test_rewritten_lines_end_the_same_however_they_are_read(text, step):
    raw = text.encode()
    cutter = LineCutter()
    lines = b"".join(cutter.feed(raw[at : at + step]) for at in range(0, len(raw), step)) + cutter.finish()
    assert clean_text(lines).rstrip("\n") == clean_text(raw).rstrip("\n")


@pytest.mark.parametrize("step", [1, 2, 3, 5, 7, 4096])
def test_characters_split_across_reads_are_never_broken(step):
    raw = "汉☕".encode() * 1000
    cutter = LineCutter()
    lines = b"".join(cutter.feed(raw[at : at + step]) for at in range(0, len(raw), step)) + cutter.finish()
    assert clean_text(lines) == "汉☕" * 1000 + "\n"
    assert clean_text(raw[:-1]).count("\ufffd") == 1


@given(st.text(max_size=30), st.integers(0, 40))
def test_a_cut_never_halves_a_character(text, at):
    raw = text.encode()[:at]
    whole = whole_characters(raw)
    assert raw.startswith(whole)
    assert len(raw) - len(whole) < 4
    assert text.startswith(whole.decode())


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def display(clock):
    shown: list[str] = []
    return shown, Display(shown.append, "en", Pace(clock), clock)


def test_a_progress_bar_is_shown_now_and_then_and_its_last_state_once():
    clock = Clock()
    shown, screen = display(clock)
    cutter = LineCutter()
    for step in range(10_000):
        clock.now += 0.0003
        screen.add(cutter.feed(f"\r{step}/10000".encode()))
        screen.tick(cutter)
    screen.add(cutter.feed(b"\r10000/10000"))
    screen.add(cutter.finish())
    screen.release()
    assert shown[-1] == "10000/10000"
    assert len(shown) <= 5
    assert len(set(shown)) == len(shown)


def test_lines_at_a_bearable_pace_are_all_shown_at_once():
    clock = Clock()
    shown, screen = display(clock)
    screen.add(b"".join(b"%d\n" % n for n in range(1500)))
    assert shown == [str(n) for n in range(1500)]


def test_of_a_flood_the_last_lines_are_shown_and_the_rest_is_counted():
    clock = Clock()
    shown, screen = display(clock)
    cutter = LineCutter()
    for block in range(200):
        clock.now += 0.01
        screen.add(b"".join(b"%d\n" % (block * 1000 + n) for n in range(1000)))
        screen.tick(cutter)
    screen.release()
    notices = [line for line in shown if "not shown" in line]
    lines = [line for line in shown if "not shown" not in line]
    assert shown[-1] == "199999"
    assert len(shown) < 5000
    hidden = sum(int(line.split("[")[1].split(" ")[0].replace(",", "")) for line in notices)
    assert hidden + len(lines) == 200_000
    assert lines == sorted(lines, key=int)


@given(st.lists(st.binary(max_size=30).map(lambda b: b.replace(b"\n", b"") + b"\n"), max_size=40))
def test_head_and_tail_lose_nothing_uncounted(lines):
    kept = HeadTail(64, 64)
    for line in lines:
        kept.add(line)
    whole = b"".join(lines)
    text = kept.text("en")
    if len(whole) <= 64:
        assert text == clean_text(whole)
    assert len(whole) - kept.left_out <= 64 + 64
    if kept.left_out:
        assert f"[{kept.left_out} bytes" in text


def test_a_log_keeps_head_and_tail_and_says_what_is_missing(tmp_path):
    path = tmp_path / "logs" / "x.log"
    log = CallLog(path, "en", head=1000, tail=1000)
    for n in range(10_000):
        log.add(b"\x1b[1mline %05d\x1b[0m\n" % n)
    log.close()
    text = path.read_text()
    assert text.startswith("line 00000\nline 00001\n")
    assert text.endswith("line 09998\nline 09999\n")
    assert "bytes left out" in text
    assert "\x1b" not in text
    assert len(text) < 2500


def test_a_log_that_cannot_be_written_does_not_stop_anything(tmp_path):
    (tmp_path / "file").touch()
    log = CallLog(tmp_path / "file" / "x.log", "en")
    log.add(b"x\n")
    log.close()
    assert log.failed is not None
