"""Everything between xuen and the outside agent."""
