"""Reusable widgets: text panes, ribbons, rulers, charts."""
