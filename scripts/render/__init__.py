"""Tables and figures from records: the same records give the same bytes."""
