"""Approval modes, the permission callback, hooks: who may say no, and what then happens."""

import pytest

from xuen.xwork.config import AgentConfig
from xuen.xwork.messages import ToolCall
from xuen.xwork.policy.permission import Approval, Request, Resource, Risk, Verdict
from xuen.xwork.tools.builtin import TOOLS
from xuen.xwork.tools.registry import Policy, Registry

WRITE = ToolCall("1", "write_file", '{"path": "a", "content": "x"}')
READ = ToolCall("2", "list_files", "{}")
COMMAND = ToolCall("3", "exec_command", '{"command": "git status && rm -rf /"}')


@pytest.fixture
def registry(context):
    def make(**policy):
        return Registry(TOOLS, context, Policy(**policy))

    return make


def test_read_only_is_a_ceiling_that_no_callback_lifts(registry, work):
    asked = []

    def allow(request):
        asked.append(request.tool)
        return Verdict.ALLOW

    strict = registry(approval=Approval.READ_ONLY, on_permission=allow)
    for call in (WRITE, COMMAND, ToolCall("4", "start_process", '{"command": "touch x"}')):
        outcome = strict.carry_out(call)
        assert outcome.failed and "read-only" in outcome.text
    assert not strict.carry_out(READ).failed
    assert asked == ["list_files"] and list(work.iterdir()) == []
    names = {definition.name for definition in strict.definitions()}
    assert names == {"read_file", "list_files", "search_text", "poll_process"}


def test_a_mode_may_be_named_and_one_that_nobody_knows_never_opens_a_door(tmp_path):
    assert AgentConfig(workspace=tmp_path, approval="read-only").approval is Approval.READ_ONLY
    assert AgentConfig(workspace=tmp_path, approval="ask").approval is Approval.ASK
    with pytest.raises(ValueError, match="readonly"):
        AgentConfig(workspace=tmp_path, approval="readonly")


def test_asking_permits_reading_and_nothing_else_without_an_answer(registry, work):
    asking = registry(approval=Approval.ASK)
    assert not asking.carry_out(READ).failed
    assert "nobody gave it" in asking.carry_out(WRITE).text
    assert list(work.iterdir()) == []


@pytest.mark.parametrize(
    ("approval", "verdict", "done"),
    [
        (Approval.AUTO, Verdict.DEFAULT, True),
        (Approval.AUTO, Verdict.DENY, False),
        (Approval.ASK, Verdict.ALLOW, True),
        (Approval.ASK, Verdict.DEFAULT, False),
        (Approval.ASK, "allow", True),
        (Approval.AUTO, "yes", False),
        (Approval.AUTO, None, False),
    ],
)
def test_the_callback_decides_below_the_ceiling(registry, work, approval, verdict, done):
    outcome = registry(approval=approval, on_permission=lambda request: verdict).carry_out(WRITE)
    assert outcome.failed is not done
    assert (work / "a").exists() is done


def test_what_the_callback_sees(registry):
    seen: list[Request] = []

    def look(request):
        seen.append(request)
        return Verdict.DENY

    asked = registry(on_permission=look)
    patch = '{"patch": "*** Begin Patch\\n*** Add File: n\\n+x\\n*** Delete File: d\\n*** End Patch"}'
    for call in (
        WRITE,
        READ,
        COMMAND,
        ToolCall("5", "apply_patch", patch),
        ToolCall("6", "poll_process", '{"process_id": "p9"}'),
    ):
        asked.carry_out(call)
    assert [(r.tool, r.risk) for r in seen] == [
        ("write_file", Risk.WRITE),
        ("list_files", Risk.READ),
        ("exec_command", Risk.EXECUTE),
        ("apply_patch", Risk.WRITE),
        ("poll_process", Risk.READ),
    ]
    assert seen[0].resources == (Resource("path", "a"),)
    assert seen[2].resources == (Resource("command", "git status && rm -rf /"), Resource("path", "."))
    assert seen[3].resources == (Resource("path", "n"), Resource("path", "d"))
    assert seen[4].resources == (Resource("process", "p9"),)
    assert seen[0].arguments == WRITE.arguments


def test_a_callback_that_breaks_denies(registry, work):
    def broken(request):
        raise KeyError("oops")

    outcome = registry(on_permission=broken).carry_out(WRITE)
    assert outcome.failed and "broke" in outcome.text and not (work / "a").exists()


class Recorder:
    """A hook that writes down what it saw and answers what it was told to."""

    def __init__(self, before=None, after=None):
        self.answers = before, after
        self.seen = []

    def before(self, request):
        self.seen.append(("before", request.arguments))
        return self._answer(0)

    def after(self, request, text, failed):
        self.seen.append(("after", text, failed))
        return self._answer(1)

    def _answer(self, at):
        if isinstance(self.answers[at], Exception):
            raise self.answers[at]
        return self.answers[at]


@pytest.mark.parametrize("objection", ["not here", ValueError("broken hook")])
def test_an_objection_before_prevents_the_call(registry, work, objection):
    hook, never = Recorder(before=objection), Recorder()
    outcome = registry(hooks=(hook, never)).carry_out(WRITE)
    assert outcome.failed and str(objection) in outcome.text and not (work / "a").exists()
    assert never.seen == [] and len(hook.seen) == 1


@pytest.mark.parametrize("objection", ["secrets in it", ValueError("broken hook")])
def test_an_objection_after_marks_the_result_failed_and_says_that_effects_stay(registry, work, objection):
    outcome = registry(hooks=(Recorder(after=objection),)).carry_out(WRITE)
    assert outcome.failed and str(objection) in outcome.text and "effects stay" in outcome.text
    assert (work / "a").exists() and outcome.effect == "write"


def test_a_command_whose_result_was_rejected_is_no_check(registry):
    outcome = registry(hooks=(Recorder(after="no"),)).carry_out(ToolCall("1", "exec_command", '{"command": "true"}'))
    assert outcome.failed and outcome.effect == "none"


def test_a_rejected_result_that_was_shortened_is_not_shortened_once_more(registry, work):
    call = ToolCall("1", "exec_command", '{"command": "seq 10000"}')
    outcome = registry(hooks=(Recorder(after="no " * 300),)).carry_out(call)
    assert outcome.text.count("[...") == 1 and len(list((work / ".xwork/artifacts").iterdir())) == 1


def test_hooks_see_the_whole_result(registry, work):
    (work / "long").write_text("x" * 300 + "\n")
    hook = Recorder()
    registry(hooks=(hook,)).carry_out(ToolCall("1", "read_file", '{"path": "long"}'))
    assert hook.seen[1] == ("after", "     1\t" + "x" * 300, False)


def test_permission_and_hooks_are_asked_again_on_resume(play, say, work):
    class Dies(Recorder):
        def before(self, request):
            raise KeyboardInterrupt

    one = play(say.calls(("write_file", {"path": "a", "content": "x"})), hooks=[Dies()])
    with pytest.raises(KeyboardInterrupt):
        one.agent.run("go")
    one.agent.close()
    asked = []

    def deny(request):
        asked.append(request.call_id)
        return Verdict.DENY

    two = play("fine", on_permission=deny, check_after_write=False)
    assert two.agent.resume().text == "fine"
    assert len(asked) == 1 and not (work / "a").exists()
