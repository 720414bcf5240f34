"""The whole host as a value: inputs in; entries, replies and what is due out. It does nothing itself."""
