"""Shared by all methods: interface, registry, collections, tokens."""
