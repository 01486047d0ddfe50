"""What everything else stands on: faults, files, what was computed before."""
