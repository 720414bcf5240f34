"""Writing scenario files: expectations brought up to date, and whole files made from a journal."""
