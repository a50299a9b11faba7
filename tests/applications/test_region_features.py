"""Pictures of fish: apart from the background, measured, and told apart."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline

from corollary import (
    DataError,
    DecisionStumpClassifier,
    KNeighborsClassifier,
    LinearDiscriminantAnalysis,
    ParameterError,
    StandardScaler,
)
from corollary.applications import (
    otsu_threshold,
    picture_features,
    region_features,
    segment_picture,
)
from corollary.applications.region_features import FEATURES


def ellipse(shape, centre, axes, angle=0.0):
    """Return the pixels inside an ellipse with its long axis at an angle."""
    i, j = np.indices(shape)
    y, x = -(i - centre[0]), j - centre[1]
    c, s = np.cos(np.radians(angle)), np.sin(np.radians(angle))
    return ((c * x + s * y) / axes[0]) ** 2 + ((-s * x + c * y) / axes[1]) ** 2 <= 1


def fish(rng, kind):
    """Draw a fish: salmon are short and dark, bass long and light, both on a belt."""
    long, light = ((17, 0.45), (24, 0.65))[kind]
    size = long + 3 * rng.normal()
    body = ellipse(
        (48, 80), (24 + rng.normal(), 40), (size, size / 3), 20 * rng.normal()
    )
    picture = 0.1 + 0.05 * rng.normal(size=(48, 80))
    shade = light + 0.06 * rng.normal()
    picture[body] = shade + 0.05 * rng.normal(size=body.sum())
    return picture


@pytest.mark.course("S3-2")
@pytest.mark.parametrize("angle", [0, 30, 90, 150])
def test_an_ellipse_is_measured_as_drawn(angle):
    mask = ellipse((120, 120), (60, 60), (40, 15), angle)
    picture = np.where(mask, 0.7, 0.2) + 0.02 * np.random.default_rng(0).normal(
        size=mask.shape
    )
    found = region_features(picture)
    assert len(found) == 1
    assert found["area"][0] == mask.sum()
    assert found["length"][0] == pytest.approx(80, abs=2)
    assert found["width"][0] == pytest.approx(30, abs=2)
    assert found["elongation"][0] == pytest.approx(80 / 30, rel=0.06)
    assert found["fill"][0] == pytest.approx(np.pi / 4, rel=0.06)
    assert found["lightness"][0] == pytest.approx(0.7, abs=0.002)
    assert found["contrast"][0] == pytest.approx(0.02, rel=0.1)
    assert abs((found["angle"][0] - angle + 90) % 180 - 90) < 2
    np.testing.assert_allclose(found.centres[0], [60, 60], atol=0.6)


@pytest.mark.course("S3-2")
def test_the_threshold_is_the_least_squares_cut_of_the_pixels():
    rng = np.random.default_rng(1)
    x = np.concatenate([rng.normal(0, 1, 700), rng.normal(6, 1, 300)])
    t = otsu_threshold(x)

    def loss(cut):
        sides = (x[x <= cut], x[x > cut])
        return sum(((side - side.mean()) ** 2).sum() for side in sides)

    cuts = np.sort(x)[:-1]
    assert loss(t) == pytest.approx(min(map(loss, cuts)))
    found = segment_picture(x.reshape(25, 40), objects="bright", least_area=1)
    assert found.separation == pytest.approx(1 - loss(t) / ((x - x.mean()) ** 2).sum())
    assert np.isnan(otsu_threshold(np.ones((3, 3))))


@pytest.mark.course("S3-2")
def test_several_objects_dust_holes_and_either_polarity():
    picture = np.zeros((40, 60))
    picture[5:15, 5:25] = 1.0
    picture[25:30, 40:55] = 1.0
    picture[35, 3] = 1.0  # dust
    found = segment_picture(picture, least_area=3)
    assert found.count == 2
    assert found.objects == "bright"
    assert (found.regions[5:15, 5:25] == 1).all()
    assert (found.regions[25:30, 40:55] == 2).all()
    assert found.regions[35, 3] == 0
    dark = segment_picture(1 - picture, least_area=3)
    assert dark.objects == "dark"
    assert (dark.regions == found.regions).all()
    np.testing.assert_allclose(
        region_features(picture, least_area=3).values[:, :4],
        [[200, 20, 10, 2], [75, 15, 5, 3]],
    )
    square = region_features(np.pad(np.ones((30, 30)), 5))
    assert square["fill"][0] == pytest.approx(1)
    disc = region_features(ellipse((80, 80), (40, 40), (30, 30)) * 1.0)
    assert disc["roundness"][0] == pytest.approx(1, abs=0.1)
    corner = np.zeros((6, 6))
    corner[1:3, 1:3] = corner[3:5, 3:5] = 1.0
    assert segment_picture(corner).count == 1  # they touch at a corner


@pytest.mark.course("S3-2")
def test_fish_are_sorted_by_what_was_measured():
    rng = np.random.default_rng(2)
    kinds = rng.integers(2, size=120)
    X = picture_features([fish(rng, kind) for kind in kinds])
    assert X.shape == (120, len(FEATURES))
    length, lightness = FEATURES.index("length"), FEATURES.index("lightness")
    train, test = slice(0, 60), slice(60, None)
    errors = {}
    for name, column in (("length", length), ("lightness", lightness)):
        stump = DecisionStumpClassifier().fit(X[train, [column]], kinds[train])
        errors[name] = 1 - stump.score(X[test, [column]], kinds[test])
    both = X[:, [length, lightness]]
    line = LinearDiscriminantAnalysis().fit(both[train], kinds[train])
    errors["both"] = 1 - line.score(both[test], kinds[test])
    assert errors["both"] <= min(errors["length"], errors["lightness"])
    assert errors["both"] < 0.05 < errors["length"]
    near = make_pipeline(StandardScaler(), KNeighborsClassifier(3))
    assert near.fit(both[train], kinds[train]).score(both[test], kinds[test]) > 0.9


def test_colours_empty_pictures_and_words():
    pytest.importorskip("matplotlib").use("Agg")
    picture = np.zeros((20, 20, 3))
    picture[5:10, 5:15] = [1.0, 0.5, 0.0]
    found = region_features(picture)
    assert found["lightness"][0] == pytest.approx(0.299 + 0.587 / 2)
    assert "1 bright region" in str(found)
    assert len(found.segmentation.plot().images) == 1
    assert len(region_features(np.ones((5, 5)))) == 0
    assert picture_features([np.ones((5, 5))]).tolist() == [[0.0] * 9]


def test_errors():
    with pytest.raises(DataError, match="height, width"):
        segment_picture(np.ones(5))
    with pytest.raises(DataError, match="finite"):
        segment_picture([[np.nan, 1.0]])
    with pytest.raises(ParameterError, match="objects must be"):
        segment_picture(np.eye(4), objects="red")
    with pytest.raises(ParameterError, match="least_area"):
        segment_picture(np.eye(4), least_area=0)
    with pytest.raises(ParameterError, match="threshold must be"):
        segment_picture(np.eye(4), threshold="high")
    with pytest.raises(ParameterError, match="a feature is one of"):
        region_features(np.eye(4))["fins"]
    with pytest.raises(DataError, match="pixels"):
        otsu_threshold([])
