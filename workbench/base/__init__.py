"""What every layer shares: types, errors, settings, resources, progress."""
