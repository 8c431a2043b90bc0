"""What tests need instead of a model."""
