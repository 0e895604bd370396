"""The Start screen."""
