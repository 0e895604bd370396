"""Web pages: from markup to blocks and their enclosing elements, and the features of both."""
