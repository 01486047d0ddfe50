"""Pipeline schedules: idle time, simulated and measured."""
