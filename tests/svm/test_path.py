"""Many prices and widths: the same machines in fewer steps."""

import numpy as np
import pytest
from common.machines import data

from corollary import SVC
from corollary.core.errors import ParameterError
from corollary.svm.path import svc_path


@pytest.mark.course("S1-49", "S3-69")
def test_a_path_gives_the_same_machines_in_fewer_steps():
    X, y, _ = data(11, 1000)
    Cs, gammas = [0.5, 1.0, 2.0, 4.0, 8.0], [0.2, 0.3]
    grid = svc_path(X, y, Cs, gammas, estimator=SVC(tol=1e-6))
    warm = cold = 0
    for gamma, row in zip(gammas, grid, strict=True):
        for C, model in zip(Cs, row, strict=True):
            alone = SVC(C=C, gamma=gamma, tol=1e-6).fit(X, y)
            a, b = model.decision_function(X), alone.decision_function(X)
            np.testing.assert_allclose(a, b, atol=1e-5)
            warm, cold = warm + model.n_iter_.sum(), cold + alone.n_iter_.sum()
    assert warm < 0.5 * cold
    with pytest.raises(ParameterError, match="svc_path: Cs and gammas"):
        svc_path(X, y, [])
