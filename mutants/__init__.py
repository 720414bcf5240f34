"""Faults planted in the engine, which exploring must find.

``python -m mutants`` hunts for each of them from scratch; the seeds at which each was found first are
in ``pinned.json``, and ``tests/explore/test_mutants.py`` plays just those.
"""
