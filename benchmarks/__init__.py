"""What ``make bench`` measures: CPU time as ratios within one run, memory, false alarms on healthy runs."""
