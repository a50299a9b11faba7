"""Linear learners that take one row after another."""
