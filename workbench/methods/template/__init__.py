"""The method ``template``: strings that a corpus repeats."""
