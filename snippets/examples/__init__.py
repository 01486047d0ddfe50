"""What the chapters run: imports, one idea, a printed result."""
