"""What the tests of the agent edge share."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "agents"))  # for `tree_shapes`
