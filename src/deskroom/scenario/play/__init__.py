"""Playing a scenario and comparing what comes out with what the file expects."""
