"""How a model too small for tools is led through xuen's questions, one plain completion after the other."""
