"""Raw text of a small model is only ever shortened."""

import pytest

from xuen.xwork.profile import shots, tidy


@pytest.mark.parametrize(
    ("raw", "kept"),
    [
        ("One. Two! Thr", "One. Two!"),
        ('He said "yes." And th', 'He said "yes."'),
        ("no end at all", "no end at all"),
        ("A plan.\n1. First.\n2.", "A plan.\n1. First."),
        ("这是一句。还没", "这是一句。"),
        ("version 2.5 is out. And", "version 2.5 is out."),
        ("", ""),
    ],
)
def test_text_ends_at_a_sentence(raw, kept):
    assert tidy.to_sentence_end(raw) == kept


def test_a_sentence_said_before_goes():
    assert tidy.without_repeats("A bee flies. A bee flies. It stings.\nIt stings.") == "A bee flies. It stings."


def test_points_are_whole_different_and_numbered_anew():
    raw = "1. Build a hive.\n2. Build a hive.\n3. Plant some clover.\n4. Wait for the"
    assert tidy.points(raw) == "1. Build a hive.\n2. Plant some clover."


@pytest.mark.parametrize(
    ("line", "term"),
    [
        ("- wind tunnel", "wind tunnel"),
        ("3. silk road.", "silk road"),
        ("fabric of the", ""),
        ("one two three four five", ""),
        ("x", ""),
        ("", ""),
    ],
)
def test_a_line_of_a_list_becomes_a_term_or_nothing(line, term):
    assert tidy.term(line) == term


def test_clipped_text_stays_within_the_estimate_and_says_so():
    text = "word " * 1000
    clipped = tidy.clip(text, 100)
    assert len(clipped) <= 302
    assert clipped.endswith("word …")
    assert tidy.clip("short", 100) == "short"
    assert len(tidy.clip("字" * 1000, 100)) <= 36


def test_what_was_copied_from_a_worked_example_goes_and_the_rest_stays():
    copied = "A test with a microphone shows how quiet the kite is."
    own = "The kite needs a longer tail."
    assert tidy.without_repeats(f"{own} {copied}", shots.EXAMPLE_RUNS) == own
    assert tidy.points(f"1. {copied}\n2. This is the idea: {own}", shots.EXAMPLE_RUNS) == f"1. {own}"
    assert tidy.without_repeats(copied, shots.EXAMPLE_RUNS) == ""


def test_the_longest_question_stays_far_within_the_context():
    long = "很长的文字 " * 20_000
    for asked in (
        shots.list_terms(long),
        shots.think(long, ["a", "b", "c"], long),
        shots.find_idea(long, ["a"], long, long),
        shots.write_points(long, long, long, long),
        shots.score(long, long),
    ):
        tokens = sum(1 / 3 if character.isascii() else 3 for message in asked for character in message.text)
        assert tokens < 3000


RAW = "The kite needs a tail. It costs 3.5 euros, e.g. in a shop. The kite needs a tail. It flies. And th"
LIST = "1. Buy silk.\n2. Buy silk!\n3. Cut it.\n4. Whe"


@pytest.mark.parametrize("size", range(1, 12))
@pytest.mark.parametrize(
    ("flow", "raw", "text"),
    [
        (tidy.sentences, RAW, "The kite needs a tail. It costs 3.5 euros, e.g. in a shop. It flies."),
        (tidy.sentences, "用丝绸。很轻。用丝绸。然后", "用丝绸。 很轻。"),
        (tidy.sentences, "no end at all", "no end at all"),
        (tidy.numbered, LIST, "1. Buy silk.\n2. Cut it."),
    ],
)
def test_what_is_given_on_piece_by_piece_is_the_tidied_text(flow, raw, text, size):
    running = flow(frozenset())
    given = [running.add(raw[at : at + size]) for at in range(0, len(raw), size)]
    assert "".join([*given, running.end()]) == running.text == text


def test_nothing_of_a_copied_sentence_is_given_on_before_it_is_known_to_be_one():
    examples = tidy.runs(["The fan costs 3.5 euros in a shop."])
    running = tidy.sentences(examples)
    given = [running.add(character) for character in "The fan costs 3.5 euros in a shop. It is mine. "]
    assert "".join(given) == "It is mine."
