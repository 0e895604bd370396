"""The vocabulary of web pages shared by rules and kernels: tags, class names, features, and a page as arrays."""
