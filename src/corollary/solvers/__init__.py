"""How it is minimised: solvers as pure functions over small records."""
