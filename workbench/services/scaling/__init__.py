"""Collections too big for a project: plans, jobs, and importing their results into a project."""
