"""The method ``initials``: fingerprints of initial letters."""
