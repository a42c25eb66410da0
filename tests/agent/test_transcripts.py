"""Of a printed transcript only the answer counts as one; the forms are those of the real programs."""

import shlex
import sys
import time
from pathlib import Path

import pytest

from xuen.agent.call import Call
from xuen.agent.presets import PRESETS
from xuen.agent.shell_agent import ShellAgent
from xuen.agent.template import parse
from xuen.agent.transcripts import answer_of
from xuen.events import Purpose
from xuen.stop import Stop
from xuen.words import parse_words

AIDER = """\
Warning: Input is not a terminal (fd=0).
Analytics have been permanently disabled.

Aider v0.86.2
Model: openai/scripted with whole edit format
Git repo: none
Repo-map: disabled
Added research.md to the chat.

{answer}
Tokens: 978 sent, 7 received.
"""
AIDER_REFUSED = """\
Aider v0.86.2
Model: openai/scripted with whole edit format
Git repo: none
Repo-map: disabled
Added research.md to the chat.

litellm.AuthenticationError: AuthenticationError: OpenAIException - Incorrect API key provided
The API provider is not able to authenticate you. Check your API key.
"""
MINI = """\
Warning: Input is not a terminal (fd=0).
Building agent config from specs:
['/somewhere/minisweagent/config/mini.yaml']

System:
You are a helpful assistant that can interact with a computer.

User:
Please solve this issue: You are asked for a list of terms.
The last line must be SCORE: 3
────────────────────────────────────────

mini-swe-agent (step 1, $0.00):
{answer}

```
echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT
```

Tool:
<returncode>
-1
<output>

<exception_info>
action was not executed

Exit:

Saved trajectory to
'/somewhere/last_mini_run.traj.json'
"""
MINI_BY_COMMAND = """\
mini-swe-agent (step 1, $0.00):


```
cat <<'X'
heap
X
```

Tool:
<returncode>
0
<output>
heap
treap

mini-swe-agent (step 2, $0.00):


```
echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT
```

Tool:
<returncode>
-1
<output>

<exception_info>
action was not executed

Exit:
"""


class Nobody:
    def emit(self, event) -> None:
        pass


@pytest.mark.parametrize(("agent", "form"), [("aider", AIDER), ("mini", MINI)], ids=["aider", "mini"])
@pytest.mark.parametrize(
    "answer", ["heap\nskip list\n红黑树", "```\nheap\n```", "Better.\nSCORE: 8"], ids=["list", "fence", "score"]
)
def test_the_answer_is_what_the_model_said(agent, form, answer):
    assert answer_of(agent, form.format(answer=answer)).strip() == answer


def test_an_answer_given_with_a_command_counts_where_there_is_no_other():
    assert answer_of("mini", MINI_BY_COMMAND).split() == ["heap", "treap"]


def test_an_error_is_no_answer():
    assert answer_of("aider", AIDER_REFUSED) == ""
    nothing = AIDER.format(answer="Empty response received from LLM. Check your provider account?\n")
    assert answer_of("aider", nothing.replace("7 received", "0 received")) == ""


@pytest.mark.parametrize("agent", ["", "other", *PRESETS])
@pytest.mark.parametrize("text", ["", "heap\ntreap\n", "Tokens: 3 sent, 4 received.\nheap"])
def test_what_has_not_the_form_of_a_transcript_stays(agent, text):
    assert answer_of(agent, text) == text


@pytest.mark.parametrize(
    ("purpose", "words"),
    [(Purpose.WORDS, ["heap", "treap"]), (Purpose.JUDGE, ["heap", "treap"]), (Purpose.RESEARCH, None)],
)
def test_questions_get_the_answer_and_rounds_the_whole_output(tmp_path: Path, purpose, words):
    (tmp_path / "said.txt").write_text(MINI.format(answer="heap\ntreap"), "utf-8")
    template = parse(f'{shlex.quote(sys.executable)} -c \'print(open("said.txt").read())\' "$prompt"')
    agent = ShellAgent(template, name="mini", workspace=tmp_path, token="t", sink=Nobody(), stop=Stop(), timeout=30)
    got = agent.call(Call(prompt="p", purpose=purpose, round=1))
    if words is None:
        assert "You are a helpful assistant" in got.stdout
    else:
        assert parse_words(got.stdout) == words
    assert got.asked == "p"


def test_a_step_full_of_empty_lines_costs_what_its_length_costs():
    """Ten times as much may cost some ten times, not a hundred."""

    def cost(lines):
        step = "mini-swe-agent (step 1, $0.00):\nSaid." + "\n" * lines + "```\nls\n```\n" + "\n" * lines + "Tool:\n"
        began = time.process_time()
        assert answer_of("mini", step) == "Said.\n"
        return time.process_time() - began

    assert cost(200_000) < 40 * max(cost(20_000), 0.01)
