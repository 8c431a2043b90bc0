"""Dates, times, durations and periods, in English and Chinese."""
