"""What a scripted turn costs, here and elsewhere: ``python -m bench``. See README.md beside this."""
