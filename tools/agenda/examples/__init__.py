"""The worked examples of the agenda's tools: whole runs, and a bank of requests with the call for each."""
