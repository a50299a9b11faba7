"""The orders of the epochs are those that NumPy draws."""

import numpy as np
import pytest

from corollary import loops
from corollary.core.randomness import generator


@pytest.mark.parametrize("seed", [0, 7, 2**32 + 5, 2**63 - 1])
@pytest.mark.parametrize("epoch", [0, 3, 2**32 - 2])
@pytest.mark.parametrize("first_row", [0, 5 * 2**33])
def test_orders_are_those_of_a_generator_for_each_epoch(seed, epoch, first_row):
    which = np.arange(100, 400)[::3].copy()
    orders = np.empty((4, len(which)), np.int64)
    loops.visit_orders(seed, epoch, first_row, which, orders)
    for e, order in enumerate(orders):
        draw = generator(seed, epoch + e, first_row)
        np.testing.assert_array_equal(order, which[draw.permutation(len(which))])


@pytest.mark.parametrize("n", [0, 1, 2, 5000])
def test_any_number_of_rows(n):
    orders = np.empty((1, n), np.int64)
    loops.visit_orders(3, 1, 0, np.arange(n), orders)
    np.testing.assert_array_equal(orders[0], generator(3, 1, 0).permutation(n))
