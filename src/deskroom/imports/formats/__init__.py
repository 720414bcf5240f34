"""One file a format. Each is an importer: see ``deskroom.imports.importer``."""
