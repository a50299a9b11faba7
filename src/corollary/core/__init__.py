"""Ground: roles, checks, parameters, errors, reports, randomness, configuration."""
