import matplotlib
import numpy as np
import pytest

from corollary import CostSensitiveClassifier, GaussianNB, datasets
from corollary.core.errors import DataError, ParameterError
from corollary.plots.decision_regions import decision_regions

matplotlib.use("Agg")


@pytest.fixture
def data():
    return datasets.two_moons(200, random_state=0)


@pytest.mark.course("S3-13")
def test_regions_are_what_the_model_decides(data):
    X, y = data
    model = GaussianNB().fit(X, y)
    regions = decision_regions(model, X, y, resolution=50)
    rng = np.random.default_rng(0)
    for i, j in rng.integers(50, size=(40, 2)):
        point = [[regions.x[j], regions.y[i]]]
        assert regions.labels[regions.codes[i, j]] == model.predict(point)[0]
    np.testing.assert_allclose(regions.shares().sum(), 1.0)
    assert regions.x[0] < X[:, 0].min() < X[:, 0].max() < regions.x[-1]


@pytest.mark.course("S3-13", "S1-4")
def test_a_linear_boundary_is_drawn_where_it_is():
    # two spherical classes of equal share: the boundary is the line x_1 = 1
    X = np.array([[0.0, 1], [0, -1], [-1, 0], [1, 0], [2, 1], [2, -1], [1, 0], [3, 0]])
    model = GaussianNB().fit(X, [0] * 4 + [1] * 4)
    regions = decision_regions(model, X, span=[(-1, 3), (-1, 1)], resolution=101)
    left = regions.x < 1 - 1e-9
    assert (regions.codes[:, left] == 0).all()
    assert (regions.codes[:, regions.x > 1 + 1e-9] == 1).all()


@pytest.mark.course("S3-13")
def test_the_picture_has_a_colour_and_a_key_for_each_label(data):
    import matplotlib.pyplot as plt

    X, y = data
    names = np.array(["up", "down"])[y]
    model = CostSensitiveClassifier(reject_cost=0.2).fit(X, names)
    ax = decision_regions(model, X, names, resolution=40).plot()
    assert [t.get_text() for t in ax.get_legend().get_texts()] == [
        "down",
        "up",
        "reject",
    ]
    mesh, points = ax.collections
    assert sorted(np.unique(mesh.get_array())) == [0, 1, 2]
    assert len(points.get_offsets()) == 200
    assert ax.get_title() == "CostSensitiveClassifier"
    ax.figure.canvas.draw()
    plt.close(ax.figure)


def test_actions_that_are_no_classes_and_data_frames():
    import pandas as pd

    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(size=(60, 3)), columns=["a", "b", "c"])
    label = np.where(frame["c"] > 0, "ill", "well")
    loss = {"treat": {"ill": 0, "well": 1}, "wait": {"ill": 5, "well": 0}}
    model = CostSensitiveClassifier(loss=loss).fit(frame, label)
    regions = decision_regions(model, frame, label, columns=(2, 0), resolution=20)
    assert regions.names == ("c", "a")
    assert regions.labels.tolist() == ["treat", "wait", "ill", "well"]
    assert regions.codes[:, -1].max() == 0
    assert regions.codes[:, 0].min() == 1


def test_many_classes_have_colours_of_their_own():
    import matplotlib.pyplot as plt

    X = np.repeat(np.arange(12.0), 4)[:, None] * [1.0, 0.5]
    X = X + np.random.default_rng(0).normal(scale=0.05, size=X.shape)
    y = np.repeat(np.arange(12), 4)
    ax = decision_regions(GaussianNB().fit(X, y), X, resolution=30).plot()
    colours = {p.get_facecolor() for p in ax.get_legend().get_patches()}
    assert len(colours) == 12
    plt.close(ax.figure)


def test_bad_input(data):
    X, y = data
    model = GaussianNB().fit(X, y)
    for call, part in [
        (lambda: decision_regions(model, X[:, :1]), "at least two columns"),
        (lambda: decision_regions(model, X, columns=(0, 2)), "between 0 and 1"),
        (lambda: decision_regions(model, X, fixed=[1.0]), "each of 2 columns"),
        (lambda: decision_regions(model, X, resolution=1), "at least 2; got 1."),
        (lambda: decision_regions(model, X, span=[(1, 0), (0, 1)]), "smaller first"),
        (lambda: decision_regions(model, X, y[:5]), "as many rows as X = 200; got 5."),
        (lambda: decision_regions(object(), X), "must offer predict"),
    ]:
        with pytest.raises((DataError, ParameterError)) as caught:
            call()
        assert part in str(caught.value)
