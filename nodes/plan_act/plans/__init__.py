"""What a plan is: its payloads, its checks, its steps."""
