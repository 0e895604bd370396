"""Shortest edit scripts and longest common subsequences."""
