"""Label sets, annotators, agreement; import and export."""
