"""What a measurement is: its record, its samples, the journal of a run."""
