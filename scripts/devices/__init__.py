"""What this machine is: its devices, their clocks and names, and how they are timed."""
