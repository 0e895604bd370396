"""Design tokens, palette, style sheet, icons, fonts."""
