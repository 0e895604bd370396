"""The classic sketches: shingle, simhash, minhash, winnowing."""
