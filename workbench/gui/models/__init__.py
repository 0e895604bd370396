"""Qt item models and the bridge to jobs; no widgets."""
