"""Variables: their nodes, classes and scopes, how they begin, and writing parts of them."""
