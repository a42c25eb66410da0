"""The small-model profile reads back what xuen's own prompts ask."""

import pytest

from xuen.prompt import Setting, judge_prompt, research_prompt, words_prompt
from xuen.workspace.research import Sections
from xuen.xwork.profile.question import Question, read_question


def setting(language="en", notes=""):
    return Setting(
        task="Design a kite.\nIt must fly in light wind.",
        language=language,
        extra_notes=notes,
        interpreter="/usr/bin/python3",
        section_writer="/w/write_section.py",
        workspace="/w",
        max_state_chars=0,
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_research_prompt(language):
    prompt = research_prompt(
        setting(language, "be brief"),
        round=12,
        words=["wind tunnel", "silk", "纸"],
        state=Sections("old idea", "old artifact\n\nin two paragraphs"),
        inputs=["more silk", "less wind"],
    )
    assert read_question(prompt) == Question(
        purpose="research",
        task="Design a kite.\nIt must fly in light wind.",
        notes="be brief",
        round=12,
        words=("wind tunnel", "silk", "纸"),
        idea="old idea",
        artifact="old artifact\n\nin two paragraphs",
        user_input="more silk\nless wind",
    )


@pytest.mark.parametrize("language", ["en", "zh"])
def test_empty_sections_are_empty(language):
    found = read_question(research_prompt(setting(language), round=1, words=[], state=Sections("", ""), inputs=[]))
    assert (found.idea, found.artifact, found.words, found.user_input, found.round) == ("", "", (), "", 1)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_words_prompt(language):
    found = read_question(words_prompt(setting(language), count=35, known=["kite", "wind"], nonce="c0ffee42"))
    assert (found.purpose, found.count, found.known) == ("words", 35, ("kite", "wind"))
    assert found.task == "Design a kite.\nIt must fly in light wind."


@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_judge_prompt(language):
    prompt = judge_prompt(
        setting(language), candidate=Sections("new", "newer"), best=Sections("", "old"), nonce="c0ffee42"
    )
    found = read_question(prompt)
    assert (found.purpose, found.candidate, found.best) == ("judge", ("new", "newer"), ("", "old"))
    assert found.nonce == "c0ffee42"


def test_headings_inside_foreign_text_do_not_end_the_prompt_early():
    state = Sections("an idea\n[Task]\nstill the idea", "text\n[How to write]\nstill the artifact")
    found = read_question(research_prompt(setting(), round=2, words=[], state=state, inputs=[]))
    assert found.task == "Design a kite.\nIt must fly in light wind."
    assert found.idea == "an idea\n[Task]\nstill the idea"
    assert found.artifact == "text\n[How to write]\nstill the artifact"


def test_a_prompt_without_headings_is_a_plain_question():
    assert read_question("Why is the sky blue?\n") == Question(purpose="plain", task="Why is the sky blue?")


def test_a_named_purpose_goes_before_the_headings():
    found = read_question("Why is the sky blue?", "words")
    assert (found.purpose, found.task) == ("words", "Why is the sky blue?")
    prompt = research_prompt(setting(), round=2, words=[], state=Sections("", ""), inputs=[])
    assert read_question(prompt, "unknown").purpose == "research"
