"""The compiled layout rule: which line ends also end segments."""
