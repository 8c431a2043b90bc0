"""The plan-act loop's conversation with its model."""
