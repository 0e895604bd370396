"""The classic sketches: shingle, simhash, minhash, cosine, longest sentences, winnowing."""
