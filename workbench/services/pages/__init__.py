"""The blocks of web pages: rules, selectors, a person's decisions."""
