"""From bytes to text with offsets: decoding, formats, normalisation, segmentation, languages."""
