"""A small MCP server for tests, by hand: its tool `hang_up` closes its output and lives on, deaf to its input.

Its pid is added to the file that MCP_PID names.
"""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

with Path(os.environ["MCP_PID"]).open("a") as file:
    file.write(f"{os.getpid()}\n")
for line in sys.stdin:
    asked = json.loads(line)
    match asked["method"], asked.get("params", {}):
        case "initialize", {"protocolVersion": version}:
            information = {"name": "hangs up", "version": "1"}
            result = {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": information}
        case "tools/list", _:
            result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("hang_up", "echo")]}
        case "tools/call", {"name": "echo"}:
            result = {"content": [{"type": "text", "text": "here"}]}
        case "tools/call", _:
            os.close(1)
            time.sleep(300)
        case _:
            result = {}
    if "id" in asked:
        print(json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": result}), flush=True)
