import numpy as np
import pytest
from scipy.stats import norm

from corollary.core.errors import ParameterError
from corollary.objectives.links import LINKS, Power, link_named

ALL = {**LINKS, "square": Power(2.0), "canonical of Wald": Power(-2.0)}
MEANS = np.array([1e-6, 0.01, 0.3, 0.5, 0.77, 0.999])


@pytest.mark.parametrize("name", ALL)
def test_inverse_undoes_the_link_and_the_derivative_is_its_slope(name):
    link = ALL[name]
    eta = link.of(MEANS)
    np.testing.assert_allclose(link.inverse(eta), MEANS, rtol=1e-9)
    step = 1e-6 * np.where(np.abs(eta) > 0, np.abs(eta), 1.0)
    slope = (link.inverse(eta + step) - link.inverse(eta - step)) / (2 * step)
    np.testing.assert_allclose(link.derivative(eta), slope, rtol=1e-5)


@pytest.mark.parametrize("name", ALL)
def test_logarithms_for_a_share(name):
    link = ALL[name]
    logs = link.logs(link.of(MEANS))
    np.testing.assert_allclose(logs.mean, np.log(MEANS), rtol=1e-9)
    np.testing.assert_allclose(logs.rest, np.log1p(-MEANS), rtol=1e-8)
    slope = np.abs(link.derivative(link.of(MEANS)))
    np.testing.assert_allclose(logs.slope, np.log(slope), rtol=1e-8, atol=1e-12)


def test_tails_keep_their_logarithms():
    eta = np.array([-800.0, -40.0, 40.0, 800.0])
    logit = LINKS["logit"].logs(eta)
    np.testing.assert_allclose(logit.mean[:2], eta[:2], rtol=1e-15)
    np.testing.assert_allclose(logit.rest[2:], -eta[2:], rtol=1e-15)
    probit = LINKS["probit"].logs(eta)
    np.testing.assert_allclose(probit.mean, norm.logcdf(eta), rtol=1e-12)
    np.testing.assert_allclose(probit.rest, norm.logsf(eta), rtol=1e-12)
    cloglog = LINKS["cloglog"].logs(eta)
    np.testing.assert_allclose(cloglog.mean[:2], eta[:2], rtol=1e-12)
    for logs in (logit, probit, cloglog):
        assert all(np.isfinite(part).all() for part in logs[:2])


def test_a_power_link_has_an_exponent_and_a_domain():
    assert link_named("GLM", 1) == LINKS["identity"]
    assert link_named("GLM", -1.0).name == "reciprocal"
    assert np.isnan(Power(-1.0).inverse(np.array([-2.0, 0.0]))).all()
    with pytest.raises(ParameterError, match="must not be 0; got 0"):
        link_named("GLM", 0.0)
