"""The rules of tools/tidy.py, one file per subject."""
