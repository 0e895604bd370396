"""The words every floor speaks: types, errors, settings, resources, progress."""
