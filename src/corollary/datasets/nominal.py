"""Small tables of named attributes."""

from __future__ import annotations

import numpy as np

from corollary.datasets.records import Table

__all__ = ["play_tennis", "student_perceptron"]

DAYS = """
Sunny    Hot  High   Weak   No
Sunny    Hot  High   Strong No
Overcast Hot  High   Weak   Yes
Rain     Mild High   Weak   Yes
Rain     Cool Normal Weak   Yes
Rain     Cool Normal Strong No
Overcast Cool Normal Strong Yes
Sunny    Mild High   Weak   No
Sunny    Cool Normal Weak   Yes
Rain     Mild Normal Weak   Yes
Sunny    Mild Normal Strong Yes
Overcast Mild High   Strong Yes
Overcast Hot  Normal Weak   Yes
Rain     Mild High   Strong No
"""
NOISY_DAY = "Sunny    Hot  Normal Strong No"


def play_tennis(noisy: bool = False) -> Table:
    """Fourteen days, the weather on each, and whether tennis was played.

    Parameters
    ----------
    noisy : bool
        Add a fifteenth day that contradicts the pattern: under a sunny outlook a
        decision tree then splits on the temperature instead of the humidity.

    Returns
    -------
    Table
        Four nominal attributes; `known` holds the entropy of the target and the
        information gain of each attribute at the root, in bits.

    Examples
    --------
    >>> from corollary.datasets import play_tennis
    >>> table = play_tennis()
    >>> table.rows[0], table.X[0].tolist(), str(table.y[0])
    ('D1', ['Sunny', 'Hot', 'High', 'Weak'], 'No')
    >>> table.known["gain"]["Outlook"]
    0.2467
    """
    lines = DAYS.strip().splitlines() + [NOISY_DAY] * noisy
    cells = np.array([line.split() for line in lines])
    known = {
        "entropy": 0.9403,
        "gain": {
            "Outlook": 0.2467,
            "Temperature": 0.0292,
            "Humidity": 0.1518,
            "Wind": 0.0481,
        },
    }
    return Table(
        name="play_tennis",
        about="Does the weather of a day invite a game of tennis?",
        columns=("Outlook", "Temperature", "Humidity", "Wind"),
        X=cells[:, :4],
        y=cells[:, 4],
        target="PlayTennis",
        rows=tuple(f"D{i + 1}" for i in range(len(cells))),
        known={"gain": {"Outlook": 0.2800}} if noisy else known,
    )


def student_perceptron() -> Table:
    """Four students, four habits coded as +1 (yes) and -1 (no), and a grade A or F.

    Returns
    -------
    Table
        Linearly separable; `known` holds where the single-sample perceptron with step
        1 and the rows in order ends, intercept first, for two starting points.

    Examples
    --------
    >>> from corollary.datasets import student_perceptron
    >>> table = student_perceptron()
    >>> table.rows, table.y.tolist()
    (('Jane', 'Steve', 'Mary', 'Peter'), ['A', 'F', 'F', 'A'])
    """
    return Table(
        name="student_perceptron",
        about="Which habits go with a good grade?",
        columns=("attends", "tall", "sleeps", "chews gum"),
        X=np.array(
            [[1, 1, -1, -1], [1, 1, 1, 1], [-1, -1, -1, 1], [1, -1, -1, 1]], float
        ),
        y=np.array(["A", "F", "F", "A"]),
        target="grade",
        rows=("Jane", "Steve", "Mary", "Peter"),
        known={
            "from_quarters": (-0.75, 1.25, -0.75, -0.75, -0.75),
            "from_halves": (-1.0, 1.5, -0.5, -1.0, -1.0),
        },
    )
