"""What a reviewer looks at, and the verdicts given."""
