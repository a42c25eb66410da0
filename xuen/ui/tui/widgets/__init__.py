"""The parts of the screen; each draws what it is handed and knows no events."""
