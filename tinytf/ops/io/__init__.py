"""Files, and what is in them: examples, CSV, images, raw numbers."""
