"""Rule post-pruning: what each step promises."""

import numpy as np
import pytest
from scipy.stats import binom

from corollary import RuleListClassifier
from corollary.datasets import play_tennis
from corollary.trees import Rule
from corollary.trees.rule_list import upper_error


def drawn(seed, n=300):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 3, (n, 5))
    y = (X[:, 0] == 1) | (X[:, 1] == 2)
    return X, np.where(rng.random(n) < 0.15, ~y, y)


def covers(rule, X, categories, skip=None):
    """Return which rows meet all conditions of a rule but one."""
    out = np.ones(len(X), bool)
    for i, c in enumerate(rule.conditions):
        if i != skip:
            out &= X[:, c.feature] == categories[c.feature][c.branch]
    return out


@pytest.mark.course("S3-82")
@pytest.mark.parametrize(("E", "N"), [(0, 6), (1, 16), (5, 9), (0.5, 3.5)])
def test_pessimistic_error_is_the_end_of_an_interval(E, N):
    p = upper_error(Rule((), 0, N, E), 0.25)
    if E == int(E):
        assert binom.cdf(E, N, p) == pytest.approx(0.25)
    assert E / N < p < 1


def test_pessimistic_error_of_quinlans_example():
    assert upper_error(Rule((), 0, 6.0, 0.0), 0.25) == pytest.approx(0.206, abs=5e-4)
    assert upper_error(Rule((), 0, 9.0, 0.0), 0.25) == pytest.approx(0.143, abs=5e-4)
    assert upper_error(Rule((), 0, 2.0, 2.0), 0.25) == 1


@pytest.mark.course("S3-82")
@pytest.mark.parametrize("seed", range(4))
def test_no_condition_of_a_rule_can_be_dropped(seed):
    X, y = drawn(seed)
    model = RuleListClassifier().fit(X, y)
    *rules, default = model.rules_
    assert not default.conditions
    for rule in rules:
        covered = covers(rule, X, model.categories_)
        wrong = (y != model.classes_[rule.answer])[covered].sum()
        assert (rule.weight, rule.errors) == (covered.sum(), wrong)
        error = upper_error(rule, 0.25)
        for i in range(len(rule.conditions) if len(rule.conditions) > 1 else 0):
            wider = covers(rule, X, model.categories_, skip=i)
            bad = float((y != model.classes_[rule.answer])[wider].sum())
            wide = Rule((), rule.answer, float(wider.sum()), bad)
            assert upper_error(wide, 0.25) > error
    errors = [upper_error(rule, 0.25) for rule in rules]
    assert errors == sorted(errors)
    assert len({rule.key for rule in rules}) == len(rules)


@pytest.mark.course("S3-82")
def test_the_first_rule_answers_and_the_default_the_rest():
    X, y = drawn(0)
    model = RuleListClassifier().fit(X, y)
    every = np.stack(np.meshgrid(*[np.arange(4)] * 5), -1).reshape(-1, 5)
    answers = []
    for x in every:
        for rule in model.rules_:
            if covers(rule, x[None], model.categories_)[0]:
                answers.append(model.classes_[rule.answer])
                break
    np.testing.assert_array_equal(model.predict(every), answers)
    left = np.ones(len(X), bool)
    for rule in model.rules_[:-1]:
        left &= ~covers(rule, X, model.categories_)
    default = model.rules_[-1]
    assert default.weight == left.sum()
    if left.any():
        values, counts = np.unique(y[left], return_counts=True)
        assert model.classes_[default.answer] == values[counts.argmax()]


@pytest.mark.course("S3-82")
def test_pruned_rules_are_fewer_shorter_and_better_on_noise():
    X, y = drawn(1, 1200)
    long = RuleListClassifier(prune=False).fit(X[:400], y[:400])
    short = RuleListClassifier().fit(X[:400], y[:400])
    facts = [model.report_.facts for model in (long, short)]
    assert facts[1]["n_rules"] < facts[0]["n_rules"] / 4
    assert facts[1]["n_conditions"] < facts[0]["n_conditions"] / 8
    assert short.score(X[400:], y[400:]) > long.score(X[400:], y[400:]) + 0.03
    text = str(short.rule_list())
    assert text.startswith("IF x")
    assert text.splitlines()[-1].startswith("OTHERWISE")


def test_weights_count_rows():
    X, y = drawn(2)
    w = np.random.default_rng(0).integers(0, 3, len(y))
    one = RuleListClassifier().fit(X, y, w)
    two = RuleListClassifier().fit(np.repeat(X, w, axis=0), np.repeat(y, w))
    assert [r.key for r in one.rules_] == [r.key for r in two.rules_]


def test_a_class_without_weight_is_never_answered():
    X = np.array([["a"], ["b"], ["c"]], object)

    def chunks():
        yield X, np.array([0, 1, 2]), np.array([0.0, 1.0, 1.0])

    model = RuleListClassifier().fit(chunks)
    assert model.classes_.tolist() == [0, 1, 2]
    assert model.predict(X).tolist() == [1, 1, 2]


@pytest.mark.course("S3-82")
@pytest.mark.parametrize("seed", range(4))
def test_every_rule_is_needed(seed):
    X, y = drawn(seed)
    model = RuleListClassifier().fit(X, y)
    whole = (model.predict(X) != y).sum()
    assert model.report_.facts["n_errors"] == whole
    rules = model.rules_
    for i in range(len(rules) - 1):
        model.rules_ = rules[:i] + rules[i + 1 :]
        assert (model.predict(X) != y).sum() > whole


@pytest.mark.course("S3-82")
def test_play_tennis_has_shorter_rules():
    table = play_tennis()
    model = RuleListClassifier().fit(table.X, table.y)
    assert model.report_.facts["n_conditions"] < 9  # of the tree's five rules
    assert model.score(table.X, table.y) >= 13 / 14
