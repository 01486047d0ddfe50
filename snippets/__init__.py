"""The arithmetic of the handbook: small, pure, typed functions that the chapters show."""
