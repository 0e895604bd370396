"""The vocabulary of web pages that rules and kernels share: tags, class names, features, and a page as arrays."""
