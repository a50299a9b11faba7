import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from corollary.core.errors import DataError, ParameterError
from corollary.datasets import play_tennis
from corollary.distributions.joint_table import (
    JointTable,
    bayes_inversion,
    count_parameters,
)
from corollary.information import kl_divergence, mutual_information

COUNTS = np.array([[2, 5, 4, 2, 1], [0, 0, 3, 3, 2]])
LEVELS = (["h1", "h2"], ["x1", "x2", "x3", "x4", "x5"])


def table():
    return JointTable.from_counts(COUNTS, ("h", "x"), LEVELS)


def random_table(shape, seed=0):
    return JointTable(
        np.random.default_rng(seed).dirichlet(np.ones(shape).ravel()).reshape(shape)
    )


@pytest.mark.course("S0-1")
def test_worked_example():
    t = table()
    assert t.n == 22
    np.testing.assert_allclose(t.marginal("h").P, [14 / 22, 8 / 22])
    evidence = t.marginal("x").P
    assert evidence.argmax() == 2
    np.testing.assert_allclose(evidence[2], 7 / 22)
    posterior = t.conditional("h", given="x")
    np.testing.assert_allclose(posterior.at(x="x3"), [4 / 7, 3 / 7])
    np.testing.assert_allclose(posterior.P[0], [1, 1, 4 / 7, 2 / 5, 1 / 3])
    likelihood = t.conditional("x", given="h")
    np.testing.assert_allclose(likelihood.at(h="h2")[2], 3 / 8)
    np.testing.assert_allclose(likelihood.P.sum(axis=0), 1)
    np.testing.assert_allclose(1 - (posterior.P.max(axis=0) @ evidence), 6 / 22)
    np.testing.assert_allclose(t.at(h="h2", x="x3"), 3 / 22)
    np.testing.assert_allclose(t.at(x="x3"), 7 / 22)


@pytest.mark.course("S0-1")
def test_a_condition_that_never_holds_is_reported_and_not_divided_by():
    t = JointTable.from_counts([[2, 0, 1], [1, 0, 0]], ("a", "b"))
    c = t.conditional("a", given="b")
    assert c.undefined.tolist() == [False, True, False]
    assert c.undefined_at() == [{"b": 1}]
    assert np.isfinite(c.P).all()
    with pytest.raises(DataError) as caught:
        c.at(b=1)
    assert str(caught.value) == (
        "ConditionalTable: the condition must have a probability > 0; got 0 for b = 1."
    )


@pytest.mark.course("S0-1")
def test_tables_from_columns_of_any_kind_with_weights():
    data = play_tennis()
    outlook = [row[0] for row in data.X]
    t = JointTable.from_columns([outlook, data.y], ("outlook", "play"))
    assert t.P.shape == (3, 2)
    assert t.n == len(outlook)
    for level, label in {(o, p) for o, p in zip(outlook, data.y, strict=True)}:
        share = np.mean(
            [o == level and p == label for o, p in zip(outlook, data.y, strict=True)]
        )
        np.testing.assert_allclose(t.at(outlook=level, play=label), share)
    w = np.arange(len(outlook))
    weighted = JointTable.from_columns([outlook], ("outlook",), w)
    repeated = JointTable.from_columns([np.repeat(outlook, w)], ("outlook",))
    np.testing.assert_allclose(weighted.P, repeated.P)


@pytest.mark.course("S0-1")
@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_marginals_and_conditionals_of_four_variables(seed):
    t = random_table((2, 3, 2, 4), seed)
    P = t.P
    m = t.marginal("x3", "x0")
    np.testing.assert_allclose(m.P, P.sum(axis=(1, 2)).T)
    assert m.names == ("x3", "x0")
    c = t.conditional(("x3", "x0"), given=("x2", "x1"))
    np.testing.assert_allclose(c.P.sum(axis=(0, 1)), 1)
    joint = np.transpose(P, (3, 0, 2, 1))
    np.testing.assert_allclose(c.P * joint.sum(axis=(0, 1)), joint, atol=1e-15)
    np.testing.assert_allclose(c.at(x2=1, x1=2), c.P[:, :, 1, 2])


@pytest.mark.course("S0-1")
def test_bayes_inversion_gives_the_right_number():
    kit = [[0.98, 0.02], [0.03, 0.97]]
    posterior, evidence = bayes_inversion(kit, [0.01, 0.99])
    np.testing.assert_allclose(evidence, [0.0395, 0.9605])
    np.testing.assert_allclose(posterior[0, 0], 0.0098 / 0.0395)  # .2481, not .266
    dice = bayes_inversion([[1 / 36, 35 / 36], [1 / 38, 37 / 38]], [0.5, 0.5])[0]
    np.testing.assert_allclose(dice[0, 0], 38 / 74)
    t = table()
    likelihood = t.conditional("x", given="h").P.T
    back, p = bayes_inversion(likelihood, t.marginal("h").P)
    np.testing.assert_allclose(back, t.conditional("h", given="x").P)
    np.testing.assert_allclose(p, t.marginal("x").P)
    never = bayes_inversion([[1.0, 0.0], [1.0, 0.0]], [0.5, 0.5])[0]
    assert never[:, 1].tolist() == [0.0, 0.0]


@pytest.mark.course("S0-4")
def test_independent_tables_have_rank_one():
    factors = [np.array([0.2, 0.8]), np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.6])]
    P = np.einsum("i,j,k->ijk", *factors)
    t = JointTable(P)
    assert t.independence().exact
    for ours, truth in zip(t.factors(), factors, strict=True):
        np.testing.assert_allclose(ours, truth)
    for axis in range(3):  # every unfolding of the tensor has rank one
        unfolded = np.moveaxis(P, axis, 0).reshape(P.shape[axis], -1)
        assert np.linalg.matrix_rank(unfolded) == 1
    assert np.linalg.matrix_rank(table().P) == 2
    assert not table().independence().exact


@pytest.mark.course("S0-4")
@given(st.integers(0, 10**6))
@settings(max_examples=20)
def test_product_of_marginals_is_the_nearest_independent_table(seed):
    t = random_table((3, 4), seed)
    Q = t.independent().P
    assert np.linalg.matrix_rank(Q) == 1
    np.testing.assert_allclose(t.independence().information, mutual_information(t.P))
    rng = np.random.default_rng(seed)
    for _ in range(20):
        other = np.outer(rng.dirichlet(np.ones(3)), rng.dirichlet(np.ones(4)))
        assert kl_divergence(t.P, other) >= kl_divergence(t.P, Q) - 1e-12


@pytest.mark.course("S0-4")
def test_common_cause_makes_variables_dependent_until_it_is_given():
    # a strike makes both travellers late
    strike, late = np.array([0.9, 0.1]), np.array([0.1, 0.8])
    P = np.empty((2, 2, 2))
    for h in range(2):
        p = np.array([1 - late[h], late[h]])
        P[:, :, h] = strike[h] * np.outer(p, p)
    t = JointTable(P, ("norman", "martin", "strike"))
    assert t.independence(given="strike").exact
    assert not t.marginal("norman", "martin").independence().exact
    # P(x | y, h) = P(x | h)
    both = t.conditional("norman", given=("martin", "strike")).P
    alone = t.conditional("norman", given="strike").P
    np.testing.assert_allclose(both, np.repeat(alone[:, None], 2, axis=1))
    mixed = random_table((2, 2, 3), 1)
    assert not mixed.independence(given="x2").exact
    nearest = mixed.independent(given="x2")
    assert nearest.independence(given="x2").exact
    np.testing.assert_allclose(nearest.marginal("x2").P, mixed.marginal("x2").P)
    np.testing.assert_allclose(
        nearest.marginal("x0", "x2").P, mixed.marginal("x0", "x2").P
    )


@pytest.mark.course("S0-4")
def test_test_of_independence_equals_scipy_and_keeps_its_level():
    t = table()
    found = t.independence()
    theirs = stats.chi2_contingency(COUNTS, correction=False, lambda_="log-likelihood")
    np.testing.assert_allclose(2 * t.n * found.information, theirs.statistic)
    np.testing.assert_allclose(found.p_value, theirs.pvalue)
    assert found.degrees == theirs.dof == 4
    rng = np.random.default_rng(0)
    p = np.outer([0.3, 0.7], [0.2, 0.5, 0.3]).ravel()
    rejected = [
        JointTable.from_counts(rng.multinomial(400, p).reshape(2, 3))
        .independence()
        .rejected()
        for _ in range(600)
    ]
    assert 0.02 < np.mean(rejected) < 0.09  # about 5 %
    with pytest.raises(DataError, match="a table made from counts"):
        random_table((2, 2)).independence().rejected()
    one = JointTable.from_counts([[3, 4]]).independence()
    assert (one.degrees, one.p_value) == (0, 1.0)


@pytest.mark.course("S0-4")
def test_parameter_counts():
    k, r, s = 3, 5, 4
    assert count_parameters([k, r]) == (k * r - 1, k + r - 2)
    counted = count_parameters([k, r], given=s)
    assert counted.full == s * k * r - 1
    assert counted.factored == s * (k + r - 2) + (s - 1)  # P(H) has parameters too
    levels = [2, 3, 4, 5]
    counted = count_parameters(levels)
    assert (counted.full, counted.factored) == (119, sum(levels) - 4)
    assert count_parameters([2] * 30).full == 2**30 - 1


def test_entropy_adds_up():
    t = random_table((3, 4))
    conditional = t.conditional("x0", given="x1").P
    weights = t.marginal("x1").P
    inner = -(conditional * np.log(conditional)).sum(axis=0) @ weights
    np.testing.assert_allclose(t.entropy(), t.marginal("x1").entropy() + inner)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: JointTable([[0.5, 0.6]]), DataError, "P must add up to 1; got 1.1"),
        (lambda: JointTable([[1.5, -0.5]]), DataError, "P must be >= 0; got -0.5"),
        (lambda: JointTable([1.0], ("a", "b")), ParameterError, "names must be 1"),
        (lambda: JointTable([1.0], None, [[1, 2]]), ParameterError, "the lengths"),
        (lambda: JointTable.from_counts([[1, -1]]), DataError, "counts must be >= 0"),
        (lambda: JointTable.from_counts([1.5]), DataError, "whole numbers; got 1.5"),
        (lambda: JointTable.from_counts([0]), DataError, "some count must be > 0"),
        (lambda: JointTable.from_columns([[1], [1, 2]]), DataError, "of one length"),
        (lambda: JointTable.from_columns([[]]), DataError, "of one length"),
        (
            lambda: JointTable.from_columns([[1, 2]], None, [-1, 1]),
            DataError,
            "sample_weight",
        ),
        (lambda: table().marginal("z"), ParameterError, "one of h, x; got 'z'"),
        (lambda: table().marginal(), ParameterError, "named once each"),
        (lambda: table().marginal("h", "h"), ParameterError, "named once each"),
        (lambda: table().at(h="h9"), ParameterError, "h must be one of h1, h2"),
        (
            lambda: table().conditional("h", given="x").at(h="h1"),
            ParameterError,
            "must be given for x; got h",
        ),
        (lambda: bayes_inversion([[1.0]], [0.5, 0.5]), DataError, "must have 2 rows"),
        (lambda: bayes_inversion([[0.7]], [1.0]), DataError, "add up to 1; got 0.7"),
        (lambda: count_parameters([0, 2]), ParameterError, "whole numbers >= 1"),
        (lambda: count_parameters([]), ParameterError, "whole numbers >= 1"),
    ],
)
def test_bad_input_gets_one_sentence(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
