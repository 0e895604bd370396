"""Compiled passes of the method ``translated``."""
