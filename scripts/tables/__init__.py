"""Tables as objects, which write Markdown, CSV, JSON and where each value comes from."""
