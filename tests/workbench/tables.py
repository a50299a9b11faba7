"""Small tables with a known truth, for the tests of the workbench."""

import numpy as np


def churn(n=240, seed=0):
    """Return customers whose leaving depends on age and town; some cells are empty."""
    rng = np.random.default_rng(seed)
    age = rng.normal(45, 15, n)
    town = rng.choice(["Rome", "Oslo", "Bern"], n)
    logit = 0.12 * (age - 45) + 2.0 * (town == "Oslo")
    left = rng.random(n) < 1 / (1 + np.exp(-logit))
    shown = [
        None if u < 0.1 else float(a) for a, u in zip(age, rng.random(n), strict=True)
    ]
    return {
        "age": shown,
        "town": town.tolist(),
        "noise": rng.normal(size=n).tolist(),
        "outcome": np.where(left, "leaves", "stays").tolist(),
    }


def rents(n=240, seed=0):
    """Return flats whose rent is a line in area, a step in town, and noise of 20."""
    rng = np.random.default_rng(seed)
    area = rng.uniform(20, 120, n)
    town = rng.choice(["Rome", "Oslo"], n)
    rent = 10 * area + 200 * (town == "Oslo") + 20 * rng.normal(size=n)
    return {"area": area.tolist(), "town": town.tolist(), "rent": rent.tolist()}
