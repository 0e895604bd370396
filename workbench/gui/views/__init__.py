"""One module or package a screen."""
