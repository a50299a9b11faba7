"""Least-squares problems with certified answers (NIST Statistical Reference Datasets).

NIST computed the answers in several hundred digits; the tests repeat that in exact
fractions.  The number of digits a solver agrees in is ``certified_digits``: Filip and
Wampler5 defeat a solver that forms ``X'X``, or one that drops small singular values.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from importlib.resources import files
from typing import Any

import numpy as np

from corollary.core.errors import ParameterError, sentence
from corollary.core.records import readable

__all__ = ["Certified", "certified_digits", "filip", "longley", "wampler"]

# What is added to the polynomial of Wampler3; orthogonal to every power up to x^5.
WAVE = np.array([759, -2048, 2048, -2048, 2523, -2048, 2048, -2048, 1838, -2048, 2048])
WAVE = np.concatenate([WAVE, WAVE[-2::-1]])
WAVE_SIZE = {1: 0, 2: 0, 3: 1, 4: 100, 5: 10_000}


@readable
@dataclass(frozen=True)
class Certified:
    """A regression with its certified answer.

    Attributes
    ----------
    name : str
        NIST's name of the data.
    columns : tuple of str
        Names of the columns of X.
    X : ndarray of shape (n, d)
        Regressors, without the column of ones.
    y : ndarray of shape (n,)
        Response.
    coef : ndarray of shape (d + 1,)
        Certified estimates, intercept first.
    coef_sd : ndarray of shape (d + 1,)
        Their certified standard deviations.
    residual_sd, r_squared : float
        Certified residual standard deviation and coefficient of determination.

    Examples
    --------
    >>> from corollary.datasets import longley
    >>> longley().X.shape, float(longley().coef[0])
    ((16, 6), -3482258.63459582)
    """

    name: str
    columns: tuple[str, ...]
    X: np.ndarray
    y: np.ndarray
    coef: np.ndarray
    coef_sd: np.ndarray
    residual_sd: float
    r_squared: float


def filip() -> Certified:
    """Fit a polynomial of degree 10 to 82 points: condition number 1e15.

    Returns
    -------
    Certified
        X holds x, x^2, ..., x^10.

    Examples
    --------
    >>> from corollary.datasets import filip
    >>> problem = filip()
    >>> problem.X.shape, problem.r_squared
    ((82, 10), 0.99672741618562)
    """
    _, rows = _csv("filip.csv")
    return _polynomial("filip", rows[:, 1], rows[:, 0], degree=10)


def longley() -> Certified:
    """Explain employment in the United States, 1947-1962, by six trends.

    Returns
    -------
    Certified
        Six strongly collinear regressors.

    Examples
    --------
    >>> from corollary.datasets import longley
    >>> longley().columns[-1], longley().y[:3]
    ('year', array([60323., 61122., 60171.]))
    """
    names, rows = _csv("longley.csv")
    return _certified("longley", names[1:], rows[:, 1:], rows[:, 0])


def wampler(number: int) -> Certified:
    """Fit a polynomial of degree 5 at x = 0, 1, ..., 20; five responses.

    Wampler1 and 2 are exact polynomials; 3, 4 and 5 add a wave of size 1, 100 and
    10,000 that is orthogonal to every polynomial of degree 5, so that their
    coefficients are those of Wampler1: exactly 1.

    Parameters
    ----------
    number : int
        Which, 1 to 5.

    Returns
    -------
    Certified
        X holds x, x^2, ..., x^5.

    Examples
    --------
    >>> from corollary.datasets import wampler
    >>> wampler(4).y[:3], wampler(4).coef
    (array([  75901., -204794.,  204863.]), array([1., 1., 1., 1., 1., 1.]))
    """
    if number not in WAVE_SIZE:
        must = "number must be a whole number in [1, 5]"
        raise ParameterError(sentence("wampler", must, repr(number)))
    x = np.arange(21)
    if number == 2:
        y = sum(x**i * 10 ** (5 - i) for i in range(6)) / 10**5
    else:
        y = sum(x**i for i in range(6)) + WAVE_SIZE[number] * WAVE
    return _polynomial(f"wampler{number}", x.astype(float), y.astype(float), degree=5)


def certified_digits(estimate: Any, certified: Any) -> float:
    """Count the digits in which all estimates agree with the certified values.

    Parameters
    ----------
    estimate, certified : arrays of the same shape
        What a solver found, and what is true.

    Returns
    -------
    float
        ``-log10`` of the largest relative error, between 0 and 15.

    Examples
    --------
    >>> from corollary.datasets import certified_digits
    >>> round(certified_digits([1.001, 2.0], [1.0, 2.0]), 2)
    3.0
    """
    truth = np.asarray(certified, float)
    error = np.abs(np.asarray(estimate, float) - truth)
    relative = np.max(error / np.where(truth == 0, 1, np.abs(truth)))
    return float(-np.log10(np.clip(relative, 1e-15, 1))) + 0.0


def _polynomial(name: str, x: np.ndarray, y: np.ndarray, degree: int) -> Certified:
    powers = range(1, degree + 1)
    X = np.column_stack([x**i for i in powers])
    return _certified(name, tuple(f"x^{i}" for i in powers), X, y)


def _certified(
    name: str, columns: tuple[str, ...], X: np.ndarray, y: np.ndarray
) -> Certified:
    answer = json.loads(_read("certified.json"))[name]
    return Certified(
        name,
        columns,
        X,
        y,
        coef=np.array(answer["estimate"]),
        coef_sd=np.array(answer["standard_deviation"]),
        residual_sd=answer["residual_standard_deviation"],
        r_squared=answer["r_squared"],
    )


def _csv(file: str) -> tuple[tuple[str, ...], np.ndarray]:
    names, *rows = csv.reader(_read(file).splitlines())
    return tuple(names), np.array(rows, float)


def _read(file: str) -> str:
    path = files("corollary.datasets") / "data" / file
    return path.read_text(encoding="utf-8")
