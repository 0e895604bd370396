"""The method ``digest``: sequence-preserving digests."""
