"""Reading inputs and storing them as documents."""
