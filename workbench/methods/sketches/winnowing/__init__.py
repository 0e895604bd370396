"""The method ``winnowing``."""
