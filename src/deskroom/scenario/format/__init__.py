"""The file format: from a TOML file to a ``Scenario`` and back, with the place of every mistake."""
