"""The method ``rare-sentences``: pages that share rare sentences, and how they are related."""
