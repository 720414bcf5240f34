"""What came out, as text for people and as values for programs. Each module is loaded by itself."""
