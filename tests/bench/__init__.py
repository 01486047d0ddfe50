"""How fast this is, beside what it cannot be faster than: a report, never a test (`make bench`)."""
