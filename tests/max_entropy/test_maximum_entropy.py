import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize

from corollary import StopReason, datasets
from corollary.core.errors import DataError, ParameterError
from corollary.max_entropy.maximum_entropy import check_duality, maximum_entropy

FACES = np.arange(1, 7)
SOLVERS = ["newton", "lbfgs", "gis", "iis"]


def divergence(p, q):
    seen = p > 0
    return p[seen] @ np.log(p[seen] / q[seen])


def problem(seed, n=None, k=None):
    """Return features, a prior and a distribution that makes targets feasible."""
    rng = np.random.default_rng(seed)
    n = n or int(rng.integers(3, 12))
    k = k or int(rng.integers(1, min(n - 1, 4) + 1))
    F = rng.normal(size=(n, k)) * rng.uniform(0.1, 30, k)
    return F, rng.dirichlet(np.ones(n) * 2), rng.dirichlet(np.ones(n) * 2)


@pytest.mark.course("S0-13", "S0-14")
@pytest.mark.parametrize("solver", SOLVERS)
def test_die(solver):
    known = datasets.die().known
    found = maximum_entropy(FACES, 4.2, solver=solver)
    np.testing.assert_allclose(found.multipliers, [0.249045], atol=5e-7)
    np.testing.assert_allclose(found.p, known["p"], atol=5e-6)
    np.testing.assert_allclose(found.entropy, 1.70621, atol=5e-6)
    assert found.residual < 1e-9
    assert found.gap < 1e-9
    assert found.stop is StopReason.CONVERGED
    fair = maximum_entropy(FACES, 3.5, solver=solver)
    np.testing.assert_allclose(fair.p, np.full(6, 1 / 6), atol=1e-9)


@pytest.mark.course("S0-13")
def test_the_law_is_gibbs_and_its_divergence_the_dual():
    F, p0, seen = problem(3, 8, 3)
    found = maximum_entropy(F, seen @ F, prior=p0)
    by_hand = p0 * np.exp(F @ found.multipliers - found.log_Z)
    np.testing.assert_allclose(found.p, by_hand, rtol=1e-9)
    dual = found.multipliers @ (seen @ F) - found.log_Z
    np.testing.assert_allclose(found.divergence, dual, atol=1e-9)
    np.testing.assert_allclose(found.divergence, divergence(found.p, p0), atol=1e-12)
    np.testing.assert_allclose(F.T @ found.p, seen @ F, atol=1e-8)


@pytest.mark.course("S0-13")
@pytest.mark.parametrize("seed", range(4))
def test_equals_a_general_solver_of_the_primal(seed):
    F, p0, seen = problem(seed, 7, 2)
    found = maximum_entropy(F, seen @ F, prior=p0)
    primal = minimize(
        lambda p: p @ np.log(p / p0),
        seen,
        jac=lambda p: np.log(p / p0) + 1,
        bounds=[(1e-12, 1)] * 7,
        constraints=[
            {"type": "eq", "fun": lambda p: F.T @ p - seen @ F, "jac": lambda p: F.T},
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": np.ones_like},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    np.testing.assert_allclose(found.p, primal.x, atol=2e-6)
    np.testing.assert_allclose(found.divergence, primal.fun, atol=1e-9)


@pytest.mark.course("S0-13")
@given(seed=st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_nothing_that_meets_the_constraints_is_nearer_the_prior(seed):
    F, p0, seen = problem(seed)
    found = maximum_entropy(F, seen @ F, prior=p0)
    assert found.stop is StopReason.CONVERGED
    assert found.divergence <= divergence(seen, p0) + 1e-9
    # Pythagoras, for a distribution that the solver has never seen
    split = divergence(seen, found.p) + divergence(found.p, p0)
    np.testing.assert_allclose(divergence(seen, p0), split, atol=1e-7)


@pytest.mark.course("S0-14")
@given(seed=st.integers(0, 10**4))
@settings(max_examples=10, deadline=None)
def test_all_routes_end_at_one_point_and_none_ever_falls(seed):
    F, p0, seen = problem(seed, 6, 2)
    b = 0.7 * seen @ F + 0.3 * p0 @ F
    exact = maximum_entropy(F, b, prior=p0).p
    for solver in SOLVERS[1:]:
        found = maximum_entropy(F, b, prior=p0, solver=solver, tol=1e-8)
        np.testing.assert_allclose(found.p, exact, atol=1e-5, err_msg=solver)
        trace = np.array(found.trace)
        assert (np.diff(trace) >= -1e-12).all()


@pytest.mark.course("S0-14")
def test_a_step_of_gis_is_the_classical_one():
    rng = np.random.default_rng(0)
    F, b = rng.uniform(size=(5, 2)), np.array([0.4, 0.6])
    F[0], F[1] = 0, 1
    found = maximum_entropy(F, b, solver="gis", max_iter=1)
    scaled = F / np.ptp(F, axis=0)  # features are measured in units of their range
    C = scaled.sum(axis=1).max()
    step = np.log(b / np.ptp(F, axis=0) / scaled.mean(axis=0)) / C
    np.testing.assert_allclose(found.multipliers, step / np.ptp(F, axis=0), rtol=1e-9)
    assert found.stop is StopReason.MAX_PASSES


@pytest.mark.course("S0-14")
def test_improved_scaling_needs_fewer_rounds():
    F, p0, seen = problem(11, 10, 3)
    b = 0.6 * seen @ F + 0.4 * p0 @ F
    gis, iis = (maximum_entropy(F, b, solver=s, tol=1e-6).steps for s in ("gis", "iis"))
    assert iis < gis


@pytest.mark.course("S0-15")
@given(seed=st.integers(0, 10**4))
@settings(max_examples=10, deadline=None)
def test_maximum_entropy_is_maximum_likelihood(seed):
    F, p0, _ = problem(seed, 6, 2)
    counts = np.random.default_rng(seed).integers(1, 20, 6)
    found = check_duality(F, counts, prior=p0)
    assert found.difference < 1e-5
    assert found.pythagoras < 1e-5
    assert "differ by" in str(found)
    # an independent climb of the likelihood over the Gibbs family

    def loss(mu):
        z = F @ mu + np.log(p0)
        z -= z.max()
        log_q = z - np.log(np.exp(z).sum())
        gradient = np.exp(log_q) @ F - counts @ F / counts.sum()
        return -counts @ log_q / counts.sum(), gradient

    best = minimize(loss, np.zeros(2), jac=True, method="BFGS", options={"gtol": 1e-7})
    np.testing.assert_allclose(-best.fun, found.log_likelihood, atol=1e-7)


@pytest.mark.course("S0-15")
@pytest.mark.parametrize("seed", range(6))
def test_the_primal_solved_over_probabilities_has_the_value_of_the_dual(seed):
    """min D(p || p_0) with E_p f = b, by a general solver that knows no multipliers."""
    F, p0, _ = problem(seed, 7, 2)
    F = F / np.abs(F).max(axis=0)
    counts = np.random.default_rng(seed).integers(1, 20, 7)
    b = counts @ F / counts.sum()
    primal = minimize(
        lambda p: p @ np.log(p / p0),
        counts / counts.sum(),  # feasible
        jac=lambda p: np.log(p / p0) + 1,
        bounds=[(1e-12, 1)] * 7,
        constraints=[
            {"type": "eq", "fun": lambda p: F.T @ p - b, "jac": lambda p: F.T},
            {"type": "eq", "fun": lambda p: p.sum() - 1, "jac": lambda p: np.ones(7)},
        ],
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert primal.success
    found, ours = maximum_entropy(F, b, prior=p0), check_duality(F, counts, prior=p0)
    for p in (found.p, ours.entropy, ours.likelihood):  # maximum likelihood too
        np.testing.assert_allclose(p, primal.x, atol=1e-5)
    assert found.divergence == pytest.approx(primal.fun, abs=1e-9)
    # strong duality: D(p* || p_0) = max_mu  mu'b - log sum p_0 e^{mu'f}
    mu = found.multipliers
    dual = mu @ b - np.log(p0 @ np.exp(F @ mu))
    assert dual == pytest.approx(primal.fun, abs=1e-9)
    for other in mu + np.random.default_rng(1).normal(size=(50, 2)):
        assert other @ b - np.log(p0 @ np.exp(F @ other)) < primal.fun
    # and the likelihood that was reached is that value, up to what b does not see
    shares = counts / counts.sum()
    assert ours.log_likelihood == pytest.approx(shares @ np.log(p0) + primal.fun)


@pytest.mark.course("S0-15")
def test_a_full_set_of_features_gives_the_sample_back():
    counts = np.array([3, 1, 4, 1, 5])
    found = maximum_entropy(np.eye(5), empirical=counts)
    np.testing.assert_allclose(found.p, counts / 14, atol=1e-9)


# -- targets that cannot be met, or only just ---------------------------------------
@pytest.mark.course("S0-13")
def test_targets_on_the_boundary_are_the_limit():
    edge = maximum_entropy(FACES, 6.0)
    np.testing.assert_array_equal(edge.p, [0, 0, 0, 0, 0, 1])
    assert edge.excluded.tolist() == [0, 1, 2, 3, 4]
    assert "outcomes [0, 1, 2, 3, 4] must have probability 0" in str(edge)
    near = maximum_entropy(FACES, 6 - 1e-6)
    np.testing.assert_allclose(near.p, edge.p, atol=2e-6)
    # a face of a square: both corners of the left side remain, in the prior's shares
    corners = [[0, 0], [0, 1], [1, 0], [1, 1]]
    face = maximum_entropy(corners, [0, 0.3], prior=[0.1, 0.2, 0.3, 0.4])
    np.testing.assert_allclose(face.p, [0.7, 0.3, 0, 0], atol=1e-9)
    assert face.excluded.tolist() == [2, 3]


@pytest.mark.course("S0-13")
def test_targets_that_nothing_meets_are_refused():
    with pytest.raises(DataError) as caught:
        maximum_entropy(FACES, 6.5)
    assert str(caught.value) == (
        "maximum_entropy: targets must be means that some distribution has; got "
        "targets 0.1 of the range away from any. Loosen the constraints, or "
        "allow more outcomes in the prior."
    )
    corners = [[0, 0], [0, 1], [1, 0]]
    with pytest.raises(DataError, match=r"0\.25 of the range away"):
        maximum_entropy(corners, [0.75, 0.75])
    with pytest.raises(DataError, match="must be means that some distribution has"):
        maximum_entropy(FACES, 2.0, prior=[0, 0, 0, 0.5, 0.5, 0])


@pytest.mark.parametrize("tiny", [1e-4, 1e-30, 1e-200])
def test_priors_that_are_nearly_certain(tiny):
    # Newton's own step from such a prior leads nowhere: it must be damped
    F = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.0]])
    prior = np.array([1 - 2 * tiny, tiny, tiny])
    b = np.array([0.2, 0.3, 0.5]) @ F
    found = maximum_entropy(F, b, prior=prior)
    assert found.stop is StopReason.CONVERGED
    np.testing.assert_allclose(found.p, [0.2, 0.3, 0.5], atol=1e-8)
    one = maximum_entropy(FACES, 5.5, prior=[1 - 5 * tiny, *[tiny] * 5])
    assert one.stop is StopReason.CONVERGED
    np.testing.assert_allclose(one.p @ FACES, 5.5, atol=1e-8)


def test_repeated_and_constant_features_do_no_harm():
    F = np.column_stack([FACES, 2 * FACES, np.ones(6)])
    found = maximum_entropy(F, [4.2, 8.4, 1.0])
    np.testing.assert_allclose(found.p, maximum_entropy(FACES, 4.2).p, atol=1e-9)


def test_features_of_any_scale_and_place():
    plain = maximum_entropy(FACES, 4.2)
    moved = maximum_entropy(FACES * 1e6 + 1e8, 4.2e6 + 1e8)
    np.testing.assert_allclose(moved.p, plain.p, atol=1e-8)


def test_a_map_of_species():
    # a hundred cells, two measurements, a few sightings: their means are met
    rng = np.random.default_rng(0)
    F = rng.normal(size=(100, 2))
    sightings = rng.choice(100, p=np.exp(F[:, 0]) / np.exp(F[:, 0]).sum(), size=30)
    counts = np.bincount(sightings, minlength=100)
    found = maximum_entropy(F, empirical=counts)
    np.testing.assert_allclose(found.p @ F, counts @ F / 30, atol=1e-9)
    assert found.p.min() > 0
    assert found.multipliers[0] > 0.5


BAD = [
    ((FACES,), {}, "either targets or empirical must be given; got neither."),
    ((FACES, 4.2), {"empirical": np.ones(6)}, "must be given; got both."),
    ((FACES, [4.2, 1.0]), {}, "a finite number for each of 1 features"),
    ((FACES, np.nan), {}, "a finite number for each of 1 features; got nan."),
    ((FACES, 4.2), {"prior": np.ones(6)}, "prior must add up to 1; got 6."),
    ((FACES, 4.2), {"prior": [0.5, 0.5]}, "one probability for each of 6; got 2."),
    ((FACES, 4.2), {"solver": "magic"}, "solver must be one of newton"),
    (([[1.0, np.nan]], [1, 1]), {}, "got nan at outcome 0, feature 1."),
    ((np.ones((2, 2, 2)), 1), {}, "a table of outcomes and features"),
    ((FACES,), {"empirical": [1, 2]}, "a count for each of 6 outcomes"),
    ((FACES,), {"empirical": [1, 2, 3, 4, 5, -1]}, "finite counts >= 0"),
    ((FACES,), {"empirical": np.zeros(6)}, "not all of them 0"),
]


@pytest.mark.parametrize(("arguments", "more", "part"), BAD)
def test_bad_input_ends_in_one_sentence(arguments, more, part):
    with pytest.raises((ParameterError, DataError)) as caught:
        maximum_entropy(*arguments, **more)
    assert part in str(caught.value)
    assert "\n" not in str(caught.value)
