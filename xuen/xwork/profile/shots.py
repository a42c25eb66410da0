"""How a small model is asked: the worked examples and the wording of each kind of question.

What was tried with SmolLM2-135M-Instruct (three to five tasks, two seeds each) and kept:
two plain examples a kind, in the wording of the question itself; temperature 0.3, min_p 0.1 and a repetition
penalty of 1.1 (above 1.15 the newline is punished too, and lists turn into prose; below 1.05 lists repeat one
line for ever); a grammar only for the form of a list. Chinese examples give text that means nothing, English
ones give readable English for a Chinese task too, so they serve for both.
Of scores from 0 to 9 for one text alone, means of six differ as they should (a fitting answer 6, an unrelated one 4);
asked to compare two texts, the model says the same number whatever it is shown.
"""

from __future__ import annotations

from collections.abc import Sequence

from xuen.xwork.messages import Assistant, Message, System, User
from xuen.xwork.model.client import Options
from xuen.xwork.profile.tidy import clip, runs

TERMS_A_LIST = 12
_TASK_TOKENS = 300
_TEXT_TOKENS = 220

_RESEARCHER = System("You are a researcher. You give clear, concrete answers.")
_LISTER = System("You list short terms. One term a line, one to three words, no numbers, no explanations.")
_REVIEWER = System("You are a strict reviewer.")

_LIBRARY = "How can a library attract more young readers?"
_FAN = "Design a quieter fan for a small computer."
_LIBRARY_TERMS = (
    "peer recommendation\nreading club\ncomic books\nlate opening hours\ngame design\ncorner café\n"
    "story contest\nschool partnership\nhabit formation\nshelf layout"
)
_FAN_TERMS = (
    "blade pitch\nowl feathers\nturbulence\nrubber mount\nairflow path\nheat pipe\nspeed control\nresonance\n"
    "boundary layer\nmagnetic bearing"
)
_LIBRARY_THOUGHTS = (
    "Young people have many other things to do, and advice from adults rarely reaches them. They listen to their "
    "peers, so a book that a friend recommends has a better chance. A reading club is a place where such advice can "
    "be given."
)
_FAN_THOUGHTS = (
    "A fan is loud because its blades tear the air into vortices. At a slow speed the vortices are weak, but less air "
    "moves and the computer gets warm. A larger fan with a different blade shape could move enough air without the "
    "noise."
)
_LIBRARY_IDEA = (
    "The library can start a reading club in which young people recommend books to each other. This works because "
    "young people trust the advice of their peers more than the advice of adults. The library can measure success by "
    "counting how often the recommended books are borrowed."
)
_FAN_IDEA = (
    "The fan should be larger and turn more slowly, because noise grows much faster than speed. Its blades get a "
    "serrated rear edge, which breaks one large vortex into many small ones. A test with a microphone shows how much "
    "quieter the new fan is at the same airflow."
)
_LIBRARY_POINTS = (
    "1. Twelve young people meet once a month and recommend books to each other.\n"
    "2. The recommended books stand on a table beside the entrance.\n"
    "3. Young readers trust this advice because it comes from their peers.\n"
    "4. The library counts how often these books are borrowed for three months.\n"
    "5. The club goes on if the number is higher than for similar books."
)
_FAN_POINTS = (
    "1. The new fan is larger than the old one and turns at half the speed.\n"
    "2. Small teeth in the rear edge of each blade break up the vortices.\n"
    "3. Rubber pins keep the vibration away from the case.\n"
    "4. A microphone measures the noise at a distance of one metre.\n"
    "5. The speed rises only if the processor gets too warm."
)
_POOR_FAN = "Fans are good. Fans are good for computers. Fans are good."
_POOR_LIBRARY = "The library should buy more books."

EXAMPLE_RUNS = runs((_LIBRARY_THOUGHTS, _FAN_THOUGHTS, _LIBRARY_IDEA, _FAN_IDEA, _LIBRARY_POINTS, _FAN_POINTS))
EXAMPLE_TERMS = frozenset(f"{_LIBRARY_TERMS}\n{_FAN_TERMS}".split("\n"))

WRITING = Options(temperature=0.3, min_p=0.1, repeat_penalty=1.1)
LISTING = Options(
    temperature=0.5,
    min_p=0.1,
    repeat_penalty=1.05,
    max_tokens=90,
    grammar=(f'root ::= (line "\\n"){{10,{TERMS_A_LIST}}}\nline ::= word (" " word){{0,2}}\nword ::= [A-Za-z] [a-z]+'),
)
POINTS_GRAMMAR = (
    'root ::= "1. " point "\\n2. " point "\\n3. " point "\\n4. " point "\\n5. " point\npoint ::= [A-Z] [^\\n.]+ "."'
)
SCORING = Options(temperature=1.0, max_tokens=2, grammar="root ::= [0-9]")


def list_terms(task: str) -> list[Message]:
    """Asks for terms, a line each."""

    def ask(about: str) -> User:
        return User(f"Task: {about}\nList 10 terms from fields that could help.")

    return [
        _LISTER,
        *_worked(ask(_LIBRARY), _LIBRARY_TERMS, ask(_FAN), _FAN_TERMS),
        ask(clip(task, _TASK_TOKENS)),
    ]


def think(task: str, words: Sequence[str], asides: str) -> list[Message]:
    """Asks for a few sentences about the task; `asides` is what the user has to say."""

    def ask(about: str, of: str, also: str = "") -> User:
        return User(f"{also}Think about this task in three sentences: {about}{of}")

    return [
        _RESEARCHER,
        *_worked(
            ask(_LIBRARY, " Think of reading clubs and peer advice."),
            _LIBRARY_THOUGHTS,
            ask(_FAN, " Think of blade shape and slow speed."),
            _FAN_THOUGHTS,
        ),
        ask(_stated(task), _of(words), _aside(asides)),
    ]


def find_idea(task: str, words: Sequence[str], idea: str, asides: str) -> list[Message]:
    """Asks for an idea, or for a better one than `idea`."""

    def ask(about: str, of: str, before: str = "") -> User:
        better = "better " if before else ""
        said = f"This is the idea so far: {before}\n" if before else ""
        return User(f"{said}Give me one {better}idea for this task in three sentences: {about}{of}")

    last = ask(_stated(task), _of(words), clip(idea, _TEXT_TOKENS))
    return [
        _RESEARCHER,
        *_worked(
            ask(_LIBRARY, " Think of reading clubs and peer advice."),
            _LIBRARY_IDEA,
            ask(_FAN, " Think of blade shape and slow speed."),
            _FAN_IDEA,
        ),
        User(_aside(asides) + last.text),
    ]


def write_points(task: str, idea: str, artifact: str, asides: str) -> list[Message]:
    """Asks for the artifact: the idea carried out in five points, or better ones than `artifact`."""

    def ask(about: str, of: str, before: str = "") -> User:
        said = f"These are the points so far:\n{before}\n" if before else ""
        return User(f"{said}This is the idea: {of}\nWrite down its five most important points for this task: {about}")

    last = ask(_stated(task), clip(idea, _TEXT_TOKENS), clip(artifact, _TEXT_TOKENS))
    return [
        _RESEARCHER,
        *_worked(ask(_LIBRARY, _LIBRARY_IDEA), _LIBRARY_POINTS, ask(_FAN, _FAN_IDEA), _FAN_POINTS),
        User(_aside(asides) + last.text),
    ]


def score(task: str, answer: str) -> list[Message]:
    """Asks for one number from 0 to 9 for one answer alone."""

    def ask(about: str, text: str) -> User:
        return User(f"Task: {about}\n\nAnswer: {text}\n\nScore of the answer from 0 to 9:")

    return [
        _REVIEWER,
        *_worked(ask(_LIBRARY, _LIBRARY_IDEA), "8", ask(_FAN, _POOR_FAN), "2"),
        ask(_LIBRARY, _POOR_LIBRARY),
        Assistant("4"),
        ask(_stated(task), clip(answer, 2 * _TEXT_TOKENS)),
    ]


def _worked(first: User, first_answer: str, second: User, second_answer: str) -> list[Message]:
    return [first, Assistant(first_answer), second, Assistant(second_answer)]


def _stated(task: str) -> str:
    """The task in one line that ends like a sentence; without its end the model goes on writing the task."""
    line = " ".join(clip(task, _TASK_TOKENS).split())
    return line if line.endswith((".", "?", "!", "。", "？", "！", "…")) else f"{line}."


def _of(words: Sequence[str]) -> str:
    """Two words at most: with more the model writes about the words and forgets the task."""
    return f" Think of {' and '.join(words[:2])}." if words else ""


def _aside(text: str) -> str:
    return f"The user says: {' '.join(clip(text, 120).split())}\n" if text.strip() else ""
