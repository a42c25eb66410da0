"""Measures the check of command templates against real shells; prints its figures.

    python bench/templates.py            everything: some minutes
    python bench/templates.py --short    a few seconds

What should have been accepted is decided by dash, bash and busybox alone: they run each template with a marker
word in the placeholder's place. The marker is also the name of a program, so a template that runs it is found
out. Each accepted template is then run with hostile prompts; what arrives must be the marker's run with the
prompt in the marker's place, byte for byte, and the program that the prompts try to start must never run.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))
sys.path.insert(0, str(Path(__file__).parent))

from template_grammar import Made, Maker, prompts

from xuen.agent.template import Template, argument_limit, check_with_shell, clean_environment, clean_prompt, parse
from xuen.errors import PromptTooLong, TemplateError

GATED = {"dash": ["dash"], "bash": ["bash"], "bash as sh": ["bash"], "busybox": ["busybox"]}
REPORTED = {"mksh": ["mksh"], "ksh": ["ksh"], "yash": ["yash"], "zsh": ["zsh"]}
NAMES = {"bash": "bash", "busybox": "sh", "mksh": "mksh", "ksh": "ksh", "yash": "yash", "zsh": "zsh"}
MARKER = "xuenmarkerword"
SECONDS = 120  # for one shell with many prompts
PLACEHOLDER = re.compile(r"\\.|\$(?:\{(?:prompt_file|prompt)\}|(?:prompt_file|prompt)(?!\w))", re.ASCII | re.DOTALL)
BATCH = """while [ "$#" -gt 0 ]; do
REC=$REC_ALL/$1; export REC
( cd "$REC_WORK" || exit 9
set -- "$2" "$3"
prompt=$1 prompt_file=$2; shift 2
{}
) < /dev/null
shift 3
done
"""
RECORDER = """#!/bin/sh
/bin/cat "/proc/$$/cmdline" - > "$REC/$$"
"""
Records = Counter[bytes]


@dataclass(frozen=True)
class Plan:
    """How much is done: every how-manieth prompt as a whole call, and which shells are only reported."""

    whole: int
    reported: tuple[str, ...]


@dataclass
class Figures:
    """What was counted."""

    made: int = 0
    due: int = 0
    accepted: int = 0
    refused: int = 0
    deliveries: int = 0
    true_calls: int = 0
    executed: list[str] = field(default_factory=list)
    inexact: list[str] = field(default_factory=list)
    false_refusals: list[str] = field(default_factory=list)
    false_acceptances: list[str] = field(default_factory=list)
    reported: dict[str, list[int]] = field(default_factory=dict)

    def passed(self) -> bool:
        """Whether the targets are met."""
        exact = not (self.executed or self.inexact or self.false_acceptances)
        return exact and len(self.false_refusals) <= 0.05 * max(self.due, 1)


class Bench:
    """A folder with an agent that records what it is given, and a program that must never run."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.work = folder / "work"
        self.bin = folder / "bin"
        self.canary = folder / "canary"
        self.prompt_file = folder / "prompt.txt"
        for path in (self.work, self.bin):
            path.mkdir()
        self._program(self.bin / "agent", RECORDER)
        self._program(self.bin / "canary", f"#!/bin/sh\n: > {self.canary}\n")
        self._program(self.bin / MARKER, f"#!/bin/sh\n: > {self.canary}\n")
        self._runs = 0

    def _program(self, path: Path, text: str) -> None:
        path.write_text(text)
        path.chmod(0o755)

    def fresh(self) -> Path:
        """A new folder for records; the working folder is emptied too."""
        shutil.rmtree(self.work)
        self.work.mkdir()
        self._runs += 1
        path = self.folder / f"rec{self._runs}"
        path.mkdir()
        return path

    def run(self, shell: str, argv: list[str], records: Path, *, whole: Path | None = None) -> None:
        """Run a command line with one of the shells in the place of /bin/sh."""
        program = {**GATED, **REPORTED}[shell][0]
        env = clean_environment(os.environ) | {
            "PATH": f"{self.bin}:/usr/bin:/bin",
            "REC": str(records),
            "REC_ALL": str(whole or records),
            "REC_WORK": str(self.work),
            "HOME": str(self.work),
            "LC_ALL": "C.UTF-8",
        }
        name = "sh" if shell == "bash as sh" else NAMES.get(program, "sh")
        with subprocess.Popen(
            [name, *argv[1:]],
            executable=shutil.which(program),
            cwd=self.work,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        ) as process:
            try:
                process.wait(SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                raise

    def executed(self) -> bool:
        """Whether the program was run since this was last asked."""
        found = self.canary.exists()
        self.canary.unlink(missing_ok=True)
        return found


def read(folder: Path) -> Records:
    """What the agents of one run were given, in no order; the folder is removed."""
    found = Counter(path.read_bytes() for path in folder.iterdir())
    shutil.rmtree(folder)
    return found


def marked(bench: Bench, source: str, shell: str) -> tuple[Records, bool]:
    """What arrives with the marker in the placeholder's place, and whether the marker was run."""
    bench.prompt_file.write_text(MARKER)
    pasted = PLACEHOLDER.sub(
        lambda m: m[0] if m[0][0] == "\\" else str(bench.prompt_file) if "file" in m[0] else MARKER, source
    )
    records = bench.fresh()
    bench.run(shell, ["sh", "-c", pasted, "xuen"], records)
    return read(records), bench.executed()


def judged(bench: Bench, made: Made) -> Records | None:
    """What every shell delivers with the marker in it, or None where the template should be refused."""
    seen: Records | None = None
    for shell in GATED:
        records, executed = marked(bench, made.source, shell)
        if (
            executed
            or not any(MARKER.encode() in record for record in records)
            or (seen is not None and seen != records)
        ):
            return None
        seen = records
    return None if made.labels else seen


def checked(source: str) -> Template | str:
    """The accepted template, or why it was refused."""
    try:
        template = parse(source)
        check_with_shell(template)
    except TemplateError as error:
        return f"{error.line_number}:{error.column}: {error}"
    return template


def with_prompt(expected: Records, prompt: str, path: Path) -> Records:
    """What should arrive: the marker's run with the prompt in the marker's place."""
    keep = str(path).encode()
    text = prompt.encode()
    return Counter(
        {
            keep.join(part.replace(MARKER.encode(), text) for part in record.split(keep)): n
            for record, n in expected.items()
        }
    )


def deliver_batch(
    bench: Bench, shell: str, template: Template, cases: list[str], expected: Records, figures: Figures
) -> int:
    """Run many prompts through one shell process; the number that did not arrive whole."""
    root = bench.fresh()
    arguments: list[str] = []
    for number, prompt in enumerate(cases):
        (root / str(number)).mkdir()
        path = bench.folder / f"prompt{number}.txt"
        path.write_bytes(prompt.encode())
        arguments += [str(number), prompt if template.uses_prompt else "", str(path)]
    bench.run(shell, ["sh", "-c", BATCH.replace("{}", template.script), "xuen", *arguments], root, whole=root)
    bad = 0
    for number, prompt in enumerate(cases):
        path = bench.folder / f"prompt{number}.txt"
        wanted = Counter(
            {k.replace(str(bench.prompt_file).encode(), str(path).encode()): n for k, n in expected.items()}
        )
        if read(root / str(number)) != with_prompt(wanted, prompt, path):
            bad += 1
            if shell in GATED:
                figures.inexact.append(f"{shell}: {template.source!r} with {prompt[:80]!r}")
    shutil.rmtree(root, ignore_errors=True)
    return bad


def deliver_truly(
    bench: Bench, shell: str, template: Template, prompt: str, expected: Records, figures: Figures
) -> None:
    """Run one prompt with the command line that xuen itself uses."""
    bench.prompt_file.write_bytes(prompt.encode())
    records = bench.fresh()
    bench.run(shell, template.argv(prompt, str(bench.prompt_file)), records)
    figures.true_calls += 1
    if read(records) != with_prompt(expected, prompt, bench.prompt_file):
        figures.inexact.append(f"{shell}, whole call: {template.source!r} with {prompt[:80]!r}")


def deliver(
    bench: Bench, template: Template, expected: Records, cases: list[str], figures: Figures, plan: Plan
) -> None:
    """All prompts through one accepted template, in every shell."""
    fits = [p for p in cases if template.longest_argument(p, str(bench.prompt_file)) <= argument_limit()]
    shift = len(template.source)
    for shell in GATED:
        batch = fits if shell != "bash as sh" else fits[shift % 5 :: 5]
        figures.deliveries += len(batch)
        deliver_batch(bench, shell, template, batch, expected, figures)
        for prompt in fits[shift % plan.whole :: plan.whole]:
            deliver_truly(bench, shell, template, prompt, expected, figures)
        if bench.executed():
            figures.executed.append(f"{shell}: {template.source!r}")
    for shell in plan.reported:
        batch = fits[shift % 10 :: 10]
        counted = figures.reported.setdefault(shell, [0, 0, 0])
        counted[0] += len(batch)
        counted[1] += deliver_batch(bench, shell, template, batch, expected, figures)
        counted[2] += bench.executed()


def too_long(figures: Figures) -> None:
    """A prompt just over the limit is refused before anything starts; just under it, it is not."""
    template = parse('agent "$prompt"')
    template.argv("x" * argument_limit(), "/p")
    try:
        template.argv("x" * (argument_limit() + 1), "/p")
    except PromptTooLong:
        return
    figures.inexact.append("a prompt over the limit was let through")


def measure(folder: Path, templates: list[Made], cases: list[str], plan: Plan) -> Figures:
    """Judge, check and run every template."""
    bench, figures = Bench(folder), Figures()
    cases = [prompt for prompt in map(clean_prompt, cases) if prompt]  # a prompt always begins with xuen's own text
    for made in templates:
        figures.made += 1
        if sys.stderr.isatty():
            print(f"\r{figures.made} of {len(templates)}", end="", file=sys.stderr)
        expected = judged(bench, made)
        figures.due += expected is not None
        result = checked(made.source)
        if isinstance(result, str):
            figures.refused += 1
            if expected is not None:
                figures.false_refusals.append(f"{made.source!r}\n      {result}")
            continue
        figures.accepted += 1
        if expected is None:
            figures.false_acceptances.append(f"{made.source!r} {made.labels}")
            continue
        deliver(bench, result, expected, cases, figures, plan)
    too_long(figures)
    return figures


def unlike(count: int, seed: int) -> list[Made]:
    """That many different templates."""
    maker, found = Maker(seed), dict[str, Made]()
    while len(found) < count:
        made = maker.make()
        found.setdefault(made.source, made)
    return list(found.values())


def report(figures: Figures, seconds: float, prompt_count: int) -> None:
    """Print the figures."""
    share = 100 * len(figures.false_refusals) / max(figures.due, 1)
    print(f"templates: {figures.made}; due to be accepted: {figures.due}")
    print(f"accepted: {figures.accepted}; refused: {figures.refused}")
    print(f"prompts: {prompt_count}; deliveries in {', '.join(GATED)}: {figures.deliveries}")
    print(f"and as whole calls of their own: {figures.true_calls}")
    print(f"executions of something in a prompt: {len(figures.executed)}")
    print(f"deliveries not byte-exact: {len(figures.inexact)}")
    print(f"accepted, but due to be refused: {len(figures.false_acceptances)}")
    print(f"refused, but due to be accepted: {len(figures.false_refusals)} ({share:.1f} %)")
    for name, (count, bad, executed) in figures.reported.items():
        print(f"not gated: {name}: {count} deliveries, {bad} not exact, templates with executions {executed}")
    for title in ("executed", "inexact", "false_acceptances", "false_refusals"):
        for line in getattr(figures, title)[:15]:
            print(f"  {title}: {line}")
    print(f"{'passed' if figures.passed() else 'FAILED'} in {seconds:.0f} s")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="a few templates and prompts only")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--templates", type=int, default=0)
    options = parser.parse_args()
    count = options.templates or (8 if options.short else 220)
    cases = prompts("canary", 160)
    plan = Plan(whole=40, reported=tuple(name for name in REPORTED if shutil.which(name)))
    if options.short:
        cases, plan = cases[:: len(cases) // 8], Plan(whole=5, reported=())
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        figures = measure(Path(folder).resolve(), unlike(count, options.seed), cases, plan)
    report(figures, time.monotonic() - start, len(cases))
    return 0 if figures.passed() else 1


if __name__ == "__main__":
    sys.exit(main())
