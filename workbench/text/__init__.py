"""Characters: normalisation with offset maps, tokens, segmentation, scripts, languages, quotations."""
