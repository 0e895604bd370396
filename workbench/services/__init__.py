"""Operations shared by the window and the command line: import, detect, review, export."""
