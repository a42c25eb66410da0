"""The patches of `apply_patch`: their grammar, where their chunks belong, and all files or none."""
