"""The faces: who shows a run to a person or a program."""
