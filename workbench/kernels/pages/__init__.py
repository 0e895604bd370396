"""Web pages: from markup to blocks with the elements around them, and the features of both."""
