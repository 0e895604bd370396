"""The frame around the screens: window, navigation, palette, start and end of the program."""
