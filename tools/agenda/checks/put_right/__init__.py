"""What is put right without a word: how small models write, and what the user's words leave no doubt about."""
