"""Every suite layout of the corpus, judged for real: how many outcomes are right, how long it takes.

python bench/suites.py [WORD]      only layouts whose name holds WORD
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "guard")]

from suite_play import decided_by, judge, layouts  # noqa: E402 - needs the line above


def main() -> int:
    word = sys.argv[1] if len(sys.argv) > 1 else ""
    chosen = [layout for layout in layouts() if word in layout["name"]]
    began = time.monotonic()
    wrong = wrongly_adopted = wrongly_rejected = 0
    for layout in chosen:
        with tempfile.TemporaryDirectory() as place:
            started = time.monotonic()
            found = judge(layout, Path(place))
        seconds = time.monotonic() - started
        if (found.outcome, decided_by(found)) != (layout["expect"], layout.get("by")):
            wrong += 1
            wrongly_adopted += found.outcome == "passed"
            wrongly_rejected += found.outcome == "failed"
            print(f"WRONG {layout['name']}: {found.outcome} by {decided_by(found)}, label {layout['expect']}")
            print("    " + "\n    ".join(found.raw.splitlines()[-12:]))
        elif seconds > 30:
            print(f"slow  {layout['name']}: {seconds:.1f} s")
    print(
        f"{len(chosen)} layouts, {len(chosen) - wrong} right ({(len(chosen) - wrong) / max(1, len(chosen)):.1%}), "
        f"{wrongly_adopted} wrongly passed, {wrongly_rejected} wrongly failed, {time.monotonic() - began:.0f} s"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    raise SystemExit(main())
