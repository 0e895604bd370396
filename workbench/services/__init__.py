"""What both faces do: import, detect, review, export."""
