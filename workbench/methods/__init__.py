"""Detection methods: one module a method, listed in the registry."""
