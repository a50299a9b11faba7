"""Methods put to a use, ready to run on a user's own data."""
