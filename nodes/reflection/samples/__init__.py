"""Independent samples of an answer: drawn several at once, judged one after the other, or compared."""
