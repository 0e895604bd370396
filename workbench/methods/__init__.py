"""Detection methods: one package for each method, listed in the registry."""
