"""The tests as a package: some installed packages bring a ``tests`` of their own, which would come before it."""
