"""Collections too big for a project: plans, jobs, and bringing what they found into a project."""
