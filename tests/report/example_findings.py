"""Findings as a run leaves them: of two classes, of five, and of numbers."""

from __future__ import annotations

import numpy as np

__all__ = ["binary", "multiclass", "regression"]

ACTIONS = [
    {
        "action": "Add the number of support calls of the last month",
        "why": "Rows that are missed have the same values as rows that are not: "
        "the columns do not tell them apart.",
        "tried": False,
        "before": None,
        "after": None,
        "standard_error": None,
        "verdict": "not tried",
    },
    {
        "action": "Correct 61 labels that look wrong",
        "why": "The model is sure of another label, in every fold.",
        "tried": True,
        "before": 0.412,
        "after": 0.395,
        "standard_error": 0.006,
        "verdict": "helped",
    },
    {
        "action": "Give the months since the contract a spline",
        "why": "The effect bends twice in the first year.",
        "tried": True,
        "before": 0.412,
        "after": 0.411,
        "standard_error": 0.003,
        "verdict": "no difference",
    },
]


def column(name, kind="number", role="feature", values=None, top=None, **more):
    """Return the profile of a column."""
    found = {"name": name, "original": name, "kind": kind, "role": role}
    found |= {"why": "", "how": "", "missing": 0, "distinct": 0}
    found |= {"mean": None, "sd": None, "minimum": None, "quartiles": None}
    found |= {"maximum": None, "histogram": None, "top": top}
    if values is not None:
        counts, edges = np.histogram(values, bins=20)
        found |= {
            "mean": float(values.mean()),
            "sd": float(values.std()),
            "minimum": float(values.min()),
            "maximum": float(values.max()),
            "quartiles": np.quantile(values, [0.25, 0.5, 0.75]).tolist(),
            "distinct": len(np.unique(values)),
            "histogram": {"edges": edges.tolist(), "counts": counts.tolist()},
        }
    return found | more


def model(name, family, score, error, seconds, chosen=None, **more):
    """Return the line of a model."""
    return {
        "name": name,
        "family": family,
        "parameters": {},
        "score": score,
        "standard_error": error,
        "seconds": seconds,
        "predict_seconds": seconds / 40,
        "readable": False,
        "chosen": chosen,
        "rows": 5634,
        "note": "",
    } | more


def binary():
    """Return findings about customers who leave."""
    rng = np.random.default_rng(7)
    n = 1409
    truth = rng.random(n) < 0.265
    score = rng.normal(np.where(truth, 1.05, -1.0), 1.25)
    probability = 1 / (1 + np.exp(-1.1 * score + 0.45))
    return {
        "format": 1,
        "title": "telco-churn.csv",
        "verdict": {
            "headline": "Trustworthy, and held back by its columns, not by its rows",
            "sentences": [
                "The model ranks who leaves above who stays in 87 of 100 pairs, and "
                "five rows in six are classified right.",
                "More rows would bring next to nothing: the curve is flat from 2,000 "
                "rows on. The columns do not tell the remaining cases apart.",
                "A model that fits on one page is almost as good.",
            ],
        },
        "task": "classification",
        "target": "Churn",
        "classes": ["No", "Yes"],
        "metric": {
            "name": "ROC AUC",
            "greater_is_better": True,
            "words": "how often a customer who leaves is ranked above one who stays",
        },
        "data": _churn_data(rng),
        "models": _churn_models(),
        "champion": {
            "name": "Average of 3 models",
            "members": [
                {"name": "Explainable boosting", "weight": 0.5},
                {"name": "Logistic regression", "weight": 0.3},
                {"name": "Histogram boosting", "weight": 0.2},
            ],
            "score": 0.8742,
            "standard_error": 0.0051,
            "test_score": 0.8718,
            "test_interval": [0.8531, 0.8896],
        },
        "simple": {
            "name": "Logistic regression",
            "score": 0.8691,
            "standard_error": 0.0054,
            "test_score": 0.8664,
            "test_interval": [0.8470, 0.8850],
            "price": 0.0054,
            "price_words": "what the readable model gives up: within the noise of the "
            "comparison",
            "text": "log odds = -1.02\n  + 0.71 if contract is Month-to-month\n"
            "  - 0.031 * tenure_months\n  + 0.009 * monthly_charges",
        },
        "diagnosis": _churn_diagnosis(),
        "learning_curve": _curve(
            [200, 400, 800, 1500, 3000, 5634], 0.874, 0.062, up=True
        ),
        "slices": _slices(),
        "worst": _worst(rng),
        "thresholds": _thresholds(truth, probability),
        "roc": _roc(truth, probability),
        "precision_recall": _precision_recall(truth, probability),
        "calibration": _calibration(truth, probability),
        "confusion": _confusion(
            ["No", "Yes"], np.where(truth, 1, 0), (probability >= 0.5).astype(int)
        ),
        "residuals": None,
        "effects": _effects(),
        "attributions": _attributions(rng),
        "leaks": {
            "split_check": {
                "random": 0.874,
                "structured": 0.871,
                "difference": 0.003,
                "standard_error": 0.006,
                "sentence": "Held out by signup date, the score is the same within its "
                "noise: time does not leak.",
            },
            "columns": [
                {
                    "column": "last_invoice_state",
                    "score": 0.981,
                    "sentence": "“closed” appears only after a customer has left; the "
                    "column was left out.",
                }
            ],
            "duplicates": {
                "within": 22,
                "across": 4,
                "sentence": "22 rows are there twice; 4 test rows that repeat training "
                "rows were dropped.",
            },
        },
        "noise": {
            "share": 0.031,
            "low": 0.019,
            "high": 0.044,
            "rows": [
                {"row": 812, "given": "No", "suggested": "Yes", "probability": 0.979},
                {"row": 4021, "given": "Yes", "suggested": "No", "probability": 0.966},
                {"row": 77, "given": "No", "suggested": "Yes", "probability": 0.952},
            ],
        },
        "certificate": _certificate(),
        "made": made("corollary fit telco-churn.csv --target Churn --minutes 10"),
    }


def made(command):
    """Return how a run was made."""
    return {
        "version": "0.2.0",
        "python": "3.12.4",
        "scikit_learn": "1.8.0",
        "seed": 20260113,
        "command": command,
        "seconds": 412.7,
        "budget": 600,
        "started": "2026-01-13 09:41",
        "cores": 2,
        "stopped": "no candidate improved the average for 60 s",
    }


def _churn_data(rng):
    tenure = np.clip(rng.gamma(1.1, 29, 7043), 0, 72)
    monthly = np.where(
        rng.random(7043) < 0.24, rng.normal(21, 2, 7043), rng.normal(78, 20, 7043)
    )
    total = tenure * np.clip(monthly, 18, 119)
    age = rng.normal(47, 15, 7043).clip(18, 90)
    services = [
        column(
            f"service_{name}", "category", top=[["No", 3900], ["Yes", 3143]], distinct=2
        )
        for name in ("security", "backup", "protection", "support", "tv", "films")
    ]
    return {
        "files": ["telco-churn.csv"],
        "rows": 7043,
        "used_rows": 7043,
        "notes": ["11 empty cells of total_charges were read as missing, not as text."],
        "columns": [
            column(
                "customer_id",
                "text",
                "identifier",
                distinct=7043,
                why="every value is different",
            ),
            column("tenure_months", values=tenure, how="as it is"),
            column(
                "monthly_charges",
                values=monthly,
                original="MonthlyCharges",
                how="scaled",
            ),
            column(
                "total_charges",
                values=total,
                missing=11,
                how="logarithm; the median where missing",
            ),
            column("age", values=age, missing=702, how="spline; missing marked"),
            column(
                "contract",
                "category",
                top=[["Month-to-month", 3875], ["Two year", 1695], ["One year", 1473]],
                distinct=3,
            ),
            column(
                "payment_method",
                "category",
                top=[
                    ["Electronic check", 2365],
                    ["Mailed check", 1612],
                    ["Bank transfer", 1544],
                ],
                distinct=4,
            ),
            column(
                "internet",
                "category",
                top=[["Fiber optic", 3096], ["DSL", 2421], ["No", 1526]],
                distinct=3,
            ),
            *services,
            column(
                "last_invoice_state",
                "category",
                "ignored",
                top=[["open", 5174], ["closed", 1869]],
                distinct=2,
                why="gives the answer away",
            ),
            column(
                "region",
                "category",
                "constant",
                top=[["CA", 7043]],
                distinct=1,
                why="one value only",
            ),
            column(
                "Churn",
                "boolean",
                "target",
                top=[["No", 5174], ["Yes", 1869]],
                distinct=2,
            ),
        ],
        "split": {
            "kind": "stratified",
            "column": None,
            "train": 5634,
            "test": 1409,
            "folds": 5,
            "why": "No column looks like a time or a group.",
        },
    }


def _churn_models():
    return [
        model("Average of 3 models", "ensemble", 0.8742, 0.0051, 96.2, "champion"),
        model(
            "Explainable boosting",
            "boosting",
            0.8729,
            0.0052,
            61.0,
            "member",
            readable=True,
            parameters={"interactions": 4, "learning_rate": 0.05},
        ),
        model(
            "Histogram boosting",
            "boosting",
            0.8708,
            0.0055,
            18.4,
            "member",
            parameters={"max_iter": 240, "learning_rate": 0.06, "max_leaf_nodes": 15},
        ),
        model(
            "Logistic regression",
            "linear",
            0.8691,
            0.0054,
            2.3,
            "member",
            readable=True,
            parameters={"C": 0.31},
        ),
        model(
            "Random forest",
            "forest",
            0.8622,
            0.0056,
            24.9,
            parameters={"n_estimators": 400, "min_samples_leaf": 5},
        ),
        model(
            "Support vectors, RBF kernel",
            "svm",
            0.8538,
            0.0061,
            41.5,
            parameters={"C": 2.1, "gamma": 0.012},
        ),
        model("Gaussian naive Bayes", "bayes", 0.8291, 0.0067, 0.2, readable=True),
        model(
            "Nearest neighbours",
            "neighbors",
            0.8243,
            0.0069,
            1.1,
            parameters={"n_neighbors": 41},
        ),
        model(
            "Decision tree, 6 leaves",
            "tree",
            0.8106,
            0.0071,
            0.4,
            "simple",
            readable=True,
            parameters={"max_leaf_nodes": 6},
        ),
        model("Always the share of each class", "baseline", 0.5, 0.0, 0.01),
    ]


def _churn_diagnosis():
    return {
        "verdicts": [
            {
                "name": "noise",
                "title": "The columns do not tell the remaining cases apart",
                "confidence": 0.81,
                "evidence": [
                    "Training and validation meet at 0.88 and 0.874.",
                    "Neighbours of missed rows have mixed labels: 38% against 11%.",
                ],
            },
            {
                "name": "variance",
                "title": "Too few rows",
                "confidence": 0.12,
                "evidence": ["Doubling the rows is expected to bring 0.002."],
            },
        ],
        "actions": ACTIONS,
        "will_not_help": [
            {
                "action": "More rows of the same kind.",
                "why": "Twice as many are expected to bring 0.002 of ROC AUC.",
            },
            {
                "action": "A larger model.",
                "why": "Forests with four times the leaves were no better.",
            },
        ],
    }


def _curve(sizes, top, drop, up):
    sign = -1 if up else 1
    bend = (sizes[0] / np.array(sizes)) ** 0.9
    gap = 0.085 * abs(top) * (sizes[0] / np.array(sizes)) ** 0.75
    validation = top + sign * drop * bend
    training = validation - sign * (gap + 0.01 * abs(top))
    beyond = []
    for factor in (2, 4):
        value = top + sign * drop * (sizes[0] / (sizes[-1] * factor)) ** 0.9
        room = 0.004 * factor**0.5 * abs(top)
        beyond.append(
            {
                "size": sizes[-1] * factor,
                "value": value,
                "low": value - room,
                "high": value + room,
            }
        )
    return {
        "sizes": sizes,
        "training": training.tolist(),
        "training_se": (0.02 * abs(top) * bend + 0.002 * abs(top)).tolist(),
        "validation": validation.tolist(),
        "validation_se": (0.03 * abs(top) * bend + 0.004 * abs(top)).tolist(),
        "extrapolated": beyond,
        "sentence": "Flat: twice as many rows are expected to bring next to nothing.",
    }


def _slices():
    return [
        {
            "where": "contract = Month-to-month and tenure_months < 6",
            "rows": 288,
            "loss": 0.612,
            "rest": 0.371,
            "p_value": 0.00004,
            "sentence": "New customers without a contract: half of them leave, and the "
            "columns do not say which half.",
        },
        {
            "where": "payment_method = Electronic check",
            "rows": 473,
            "loss": 0.521,
            "rest": 0.365,
            "p_value": 0.0019,
            "sentence": "",
        },
        {
            "where": "age is missing",
            "rows": 141,
            "loss": 0.498,
            "rest": 0.410,
            "p_value": 0.038,
            "sentence": "",
        },
    ]


def _worst(rng):
    rows = []
    for i in range(14):
        left = bool(rng.random() < 0.6)
        rows.append(
            {
                "row": int(rng.integers(7043)),
                "actual": "Yes" if left else "No",
                "predicted": "No" if left else "Yes",
                "probability": float(0.01 + 0.006 * i),
                "values": {
                    "tenure_months": str(int(rng.integers(1, 72))),
                    "monthly_charges": f"{rng.normal(70, 20):.2f}",
                    "contract": str(
                        rng.choice(["Two year", "One year", "Month-to-month"])
                    ),
                    "payment_method": str(
                        rng.choice(["Mailed check", "Bank transfer"])
                    ),
                    "internet": str(rng.choice(["DSL", "Fiber optic", "No"])),
                    "service_support": str(rng.choice(["Yes", "No"])),
                },
            }
        )
    return rows


def _thresholds(truth, probability):
    levels = np.linspace(0, 1, 101)
    said = probability[None, :] >= levels[:, None]
    return {
        "positive": "Yes",
        "threshold": levels.tolist(),
        "true_positive": (said & truth).sum(axis=1).tolist(),
        "false_positive": (said & ~truth).sum(axis=1).tolist(),
        "false_negative": (~said & truth).sum(axis=1).tolist(),
        "true_negative": (~said & ~truth).sum(axis=1).tolist(),
    }


def _roc(truth, probability):
    order = np.argsort(-probability)
    hits = truth[order].cumsum() / truth.sum()
    alarms = (~truth[order]).cumsum() / (~truth).sum()
    return {
        "false_positive_rate": [0.0, *alarms.tolist()],
        "true_positive_rate": [0.0, *hits.tolist()],
        "auc": float(np.trapezoid([0, *hits], [0, *alarms])),
        "auc_interval": [0.853, 0.890],
    }


def _precision_recall(truth, probability):
    order = np.argsort(-probability)
    hits = truth[order].cumsum()
    return {
        "recall": (hits / truth.sum()).tolist()[4:],
        "precision": (hits / np.arange(1, len(truth) + 1)).tolist()[4:],
        "base": float(truth.mean()),
    }


def _calibration(truth, probability):
    found = {"predicted": [], "observed": [], "low": [], "high": [], "count": []}
    for group in np.array_split(np.argsort(probability), 10):
        share, n = truth[group].mean(), len(group)
        room = 1.96 * np.sqrt(max(share * (1 - share), 0.01) / n)
        found["predicted"].append(float(probability[group].mean()))
        found["observed"].append(float(share))
        found["low"].append(float(max(share - room, 0)))
        found["high"].append(float(min(share + room, 1)))
        found["count"].append(n)
    return found | {"error": 0.021}


def _confusion(classes, truth, said):
    k = len(classes)
    matrix = np.zeros((k, k), int)
    np.add.at(matrix, (truth, said), 1)
    pairs = [
        {
            "actual": classes[i],
            "predicted": classes[j],
            "count": int(matrix[i, j]),
            "share": float(matrix[i, j] / max(matrix[i].sum(), 1)),
        }
        for i in range(k)
        for j in range(k)
        if i != j
    ]
    pairs.sort(key=lambda pair: -pair["count"])
    return {"classes": classes, "matrix": matrix.tolist(), "pairs": pairs}


def _effects():
    tenure, monthly = np.linspace(0, 72, 25), np.linspace(18, 119, 25)
    age = np.linspace(18, 90, 20)

    def curve(name, grid, effect, importance):
        room = 0.05 + 0.08 * np.abs(np.linspace(-1, 1, len(grid)))
        return {
            "column": name,
            "importance": importance,
            "importance_se": importance / 12,
            "kind": "number",
            "grid": grid.tolist(),
            "effect": effect.tolist(),
            "low": (effect - room).tolist(),
            "high": (effect + room).tolist(),
        }

    def classes(name, values, importance):
        effect = list(values.values())
        return {
            "column": name,
            "importance": importance,
            "importance_se": importance / 9,
            "kind": "category",
            "grid": list(values),
            "effect": effect,
            "low": [e - 0.07 for e in effect],
            "high": [e + 0.07 for e in effect],
        }

    return [
        classes(
            "contract",
            {"Month-to-month": 0.71, "One year": -0.42, "Two year": -1.1},
            0.071,
        ),
        curve("tenure_months", tenure, 1.4 * np.exp(-tenure / 14) - 0.5, 0.052),
        curve("monthly_charges", monthly, 0.9 * np.tanh((monthly - 70) / 22), 0.031),
        classes("internet", {"Fiber optic": 0.55, "DSL": -0.1, "No": -0.63}, 0.018),
        classes(
            "payment_method",
            {
                "Electronic check": 0.31,
                "Mailed check": -0.08,
                "Bank transfer": -0.1,
                "Credit card": -0.13,
            },
            0.009,
        ),
        curve("age", age, 0.004 * (age - 50) ** 2 / 10 - 0.1, 0.004),
        classes("service_support", {"Yes": -0.2, "No": 0.12}, 0.003),
    ]


def _attributions(rng):
    names = [
        "contract",
        "tenure_months",
        "monthly_charges",
        "internet",
        "payment_method",
        "age",
    ]
    rows = []
    for k in range(5):
        parts = rng.normal(0, [0.8, 0.6, 0.4, 0.3, 0.2, 0.1])
        values = [
            "Month-to-month",
            3 + k,
            89.1 + k,
            "Fiber optic",
            "Electronic check",
            None,
        ]
        rows.append(
            {
                "row": int(rng.integers(7043)),
                "base": -1.02,
                "prediction": float(-1.02 + parts.sum()),
                "parts": [
                    {"column": c, "value": v, "contribution": float(p)}
                    for c, v, p in zip(names, values, parts, strict=True)
                ],
            }
        )
    return rows


def _certificate():
    return {
        "verdict": "With 95% confidence at most 18.9% of new rows like these are "
        "classified wrong.",
        "risk": 0.1682,
        "bound": 0.1889,
        "delta": 0.05,
        "n": 1409,
        "loss": "share of wrong rows",
        "assumptions": [
            "The test rows were drawn like the rows to come.",
            "Nothing was chosen by looking at them.",
        ],
        "checks": [
            {
                "name": "Rows are alike over the file",
                "holds": True,
                "words": "no drift found",
            },
            {
                "name": "Rows are independent",
                "holds": None,
                "words": "cannot be tested from the file",
            },
            {
                "name": "No repeated rows",
                "holds": False,
                "words": "22 rows are there twice",
            },
        ],
        "intervals": [
            {
                "name": "Share of wrong rows",
                "value": 0.168,
                "low": 0.149,
                "high": 0.189,
            },
            {"name": "ROC AUC", "value": 0.872, "low": 0.853, "high": 0.890},
        ],
        "conformal": {
            "level": 0.9,
            "words": "Sets of classes that hold the truth nine times in ten have 1.18 "
            "classes on average.",
            "size": 1.18,
        },
    }


def regression():
    """Return findings about prices of houses."""
    rng = np.random.default_rng(3)
    actual = np.exp(rng.normal(12.05, 0.38, 600))
    predicted = actual * np.exp(rng.normal(0, 0.11, 600))
    area, year = (
        rng.normal(1500, 480, 2930).clip(340),
        rng.normal(1971, 30, 2930).clip(1875, 2010),
    )
    found = binary()
    drop = (
        "thresholds",
        "roc",
        "precision_recall",
        "calibration",
        "confusion",
        "noise",
        "classes",
    )
    found = {key: value for key, value in found.items() if key not in drop}
    beyond = _curve([150, 300, 600, 1200, 2344], 21800, 9400, up=False)
    beyond["sentence"] = "Falling: twice as many rows are expected to bring about 900."
    grid = np.linspace(400, 3600, 20)
    return found | {
        "title": "ames-houses.csv",
        "task": "regression",
        "target": "SalePrice",
        "verdict": {
            "headline": "Good for most houses; more sales would make it better",
            "sentences": [
                "A prediction is off by about 22,700, an eighth of the price.",
                "The curve still falls: twice as many rows would take off about 900.",
                "Old houses in two districts carry a third of the error.",
            ],
        },
        "metric": {
            "name": "RMSE",
            "greater_is_better": False,
            "words": "root of the mean squared error, in dollars",
        },
        "data": {
            "files": ["ames-houses.csv"],
            "rows": 2930,
            "used_rows": 2928,
            "notes": ["2 rows without a price were left out."],
            "columns": [
                column("SalePrice", "number", "target", values=actual),
                column("living_area", values=area),
                column("year_built", values=year),
                column(
                    "sold_on",
                    "date",
                    "time",
                    minimum="2006-01-04",
                    maximum="2010-07-30",
                ),
            ],
            "split": {
                "kind": "time",
                "column": "sold_on",
                "train": 2344,
                "test": 584,
                "folds": 5,
                "why": "Prices drift with time.",
            },
        },
        "models": [
            model(
                "Histogram boosting",
                "boosting",
                22710.0,
                640.0,
                31.0,
                "champion",
                parameters={"max_iter": 410},
            ),
            model(
                "Elastic net on splines",
                "linear",
                24890.0,
                710.0,
                4.2,
                "simple",
                readable=True,
            ),
            model("Random forest", "forest", 25120.0, 690.0, 18.0),
            model("Nearest neighbours", "neighbors", 33800.0, 980.0, 0.8),
            model("Always the mean", "baseline", 79400.0, 1500.0, 0.01),
        ],
        "champion": {
            "name": "Histogram boosting",
            "members": [{"name": "Histogram boosting", "weight": 1.0}],
            "score": 22710.0,
            "standard_error": 640.0,
            "test_score": 23240.0,
            "test_interval": [21650.0, 25010.0],
        },
        "simple": {
            "name": "Elastic net on splines",
            "score": 24890.0,
            "standard_error": 710.0,
            "test_score": 25400.0,
            "test_interval": [23700.0, 27300.0],
            "price": 2180.0,
            "price_words": "three standard errors: worth knowing",
            "text": "",
        },
        "diagnosis": {
            "verdicts": [],
            "actions": [
                {
                    "action": "Add 2,000 more sales",
                    "why": "The gap between training and validation is still closing.",
                    "tried": True,
                    "before": 22710.0,
                    "after": 21800.0,
                    "standard_error": 400.0,
                    "verdict": "helped",
                }
            ],
            "will_not_help": [],
        },
        "learning_curve": beyond,
        "worst": [
            {
                "row": 181,
                "actual": 585000,
                "predicted": 712300.0,
                "error": 127300.0,
                "values": {"living_area": "4476", "year_built": "2008"},
            }
        ],
        "residuals": {"predicted": predicted.tolist(), "actual": actual.tolist()},
        "effects": [
            {
                "column": "living_area",
                "importance": 18200.0,
                "importance_se": 700.0,
                "kind": "number",
                "grid": grid.tolist(),
                "effect": (62 * grid).tolist(),
                "low": (62 * grid - 4000).tolist(),
                "high": (62 * grid + 4000).tolist(),
            }
        ],
        "attributions": [],
        "made": made("corollary fit ames-houses.csv --target SalePrice"),
    }


def multiclass(k=5):
    """Return findings about species, with k classes."""
    rng = np.random.default_rng(1)
    classes = [f"species {chr(65 + i % 26)}{i // 26 or ''}" for i in range(k)]
    truth = rng.integers(k, size=900)
    said = np.where(
        rng.random(900) < 0.83, truth, (truth + rng.integers(1, 3, 900)) % k
    )
    found = binary()
    drop = ("thresholds", "roc", "precision_recall")
    found = {key: value for key, value in found.items() if key not in drop}
    return found | {
        "title": "species.csv",
        "target": "species",
        "classes": classes,
        "metric": {
            "name": "accuracy",
            "greater_is_better": True,
            "words": "share of rows that are classified right",
        },
        "confusion": _confusion(classes, truth, said),
        "effects": _class_effects(classes),
        "attributions": [
            one | {"of": classes[i % k]} for i, one in enumerate(found["attributions"])
        ],
    }


def _class_effects(classes):
    """Return effects on three of the classes, of each kind of column."""

    def lines(grid, turn=0):
        g = len(grid)
        wave = 0.1 * np.sin(np.linspace(0, 3, g))
        found = []
        for i, size in enumerate((1.0, -0.7, -0.3)):
            effect = 0.2 + size * wave
            ends = {"low": (effect - 0.02).tolist(), "high": (effect + 0.02).tolist()}
            name = classes[(i + turn) % len(classes)]
            found.append({"of": name, "effect": effect.tolist()} | ends)
        return found[0] | {"grid": grid, "others": found[1:]}

    def column(name, kind, importance, grid, **more):
        found = {"column": name, "importance": importance, "kind": kind}
        return found | {"importance_se": importance / 9} | lines(grid) | more

    days = np.arange("2021-01-15", "2022-12-31", 40, dtype="datetime64[D]")
    hours = [f"{hour}:00" for hour in range(24)]
    part = {"column": "seen_at: hour of the day", "kind": "part"} | lines(hours, 1)
    return [
        column("petal_length", "number", 0.3, np.linspace(1, 7, 20).tolist()),
        column("seen_at", "date", 0.2, days.astype(str).tolist(), part=part),
        column("region", "category", 0.1, ["north", "south", "east", "west"]),
    ]
