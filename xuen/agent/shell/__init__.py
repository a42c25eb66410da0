"""Reading shell source: what a command template is made of, and what its commands do with the prompt."""
