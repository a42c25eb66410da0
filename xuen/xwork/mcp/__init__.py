"""Tools of MCP servers, through the official package `mcp`."""
