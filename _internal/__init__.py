"""What every room shares, and nobody outside imports."""
