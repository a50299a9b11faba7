"""From pictures to features: an object apart from its background, and a few measures.

Also known as: image segmentation, Otsu's method, thresholding, connected components,
blob analysis, region properties, feature extraction.

A picture of an object before a background is two lots of pixels.  For a threshold t let
w_0, w_1 be the shares of the pixels up to t and above it, and m_0, m_1 their mean
lightness.  Otsu's t separates them best,

    t = argmax_t  w_0 w_1 (m_0 - m_1)^2                                          (1)

which is least squares with two levels, k-means on a line.  How well it does so is

    separation  = max (1) / variance of the pixels,   in [0, 1]                  (2)

The background is the side that holds most of the border.  Pixels of the other side that
touch each other, at edges or corners, are one region; regions of a few pixels are dust.
With p_1, ..., p_a the places of a region's pixels, C their covariance and u_1, u_2 its
axes,

    area        a                       length   extent along u_1, in pixels
    width       extent along u_2        elongation   length / width
    lightness   mean of the pixels      contrast     their standard deviation
    fill        a / (length * width)    angle    of u_1, in degrees
    roundness   4 pi a / perimeter^2                                              (3)

An ellipse has a fill of pi / 4, a rectangle of 1.  The features of the largest region
of each picture are a row for any learner: segment, measure, learn.

Notation: t = threshold; w, m = shares and means of both sides.
Course: S3-2. References: Otsu (1979); Duda, Hart and Stork (2001), 1.2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import ndimage

from corollary.core.arrays import Floats, Vector
from corollary.core.errors import DataError, ParameterError, sentence
from corollary.core.parameters import real, shown, whole
from corollary.core.vectors import numbers

__all__ = [
    "FEATURES",
    "Regions",
    "Segmentation",
    "otsu_threshold",
    "picture_features",
    "region_features",
    "segment_picture",
]

FEATURES = (
    "area",
    "length",
    "width",
    "elongation",
    "lightness",
    "contrast",
    "fill",
    "roundness",
    "angle",
)
TOUCHING = np.ones((3, 3))  # at edges or corners
MANY = 2**16  # different lightnesses, more of which are binned
DUST = 0.001  # of the pixels
COLOURS = (0.299, 0.587, 0.114)  # of lightness in red, green and blue


@dataclass(frozen=True, eq=False)
class Segmentation:
    """Regions before a background.

    Attributes
    ----------
    regions : array of int of shape (height, width)
        0 for the background; regions are 1, 2, ..., the largest first.
    threshold : float
        t of (1), or the one given.
    objects : {'bright', 'dark'}
        Which side of it the objects are.
    separation : float
        (2).
    """

    regions: Vector
    threshold: float
    objects: str
    separation: float

    @property
    def count(self) -> int:
        """How many regions there are."""
        return int(self.regions.max(initial=0))

    def __str__(self) -> str:
        kind = "region" if self.count == 1 else "regions"
        return (
            f"{self.count} {self.objects} {kind}, threshold {self.threshold:.4g}, "
            f"separation {self.separation:.1%}"
        )

    def plot(self, ax: Any = None) -> Any:
        """Draw the regions in colours.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        matplotlib axes
        """
        import matplotlib.pyplot as plt

        ax = ax if ax is not None else plt.subplots()[1]
        shown_at = np.ma.masked_equal(self.regions, 0)
        ax.imshow(shown_at, cmap="tab20", interpolation="nearest")
        ax.set_title(str(self))
        return ax


@dataclass(frozen=True, eq=False)
class Regions:
    """Measures of regions.

    Attributes
    ----------
    names : tuple of str
        Of the columns, as in (3).
    values : array of shape (regions, len(names))
        (3), the largest region first.
    centres : array of shape (regions, 2)
        Row and column of each region's middle.
    segmentation : Segmentation
    """

    names: tuple[str, ...]
    values: Floats
    centres: Floats
    segmentation: Segmentation

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, name: str) -> Floats:
        if name not in self.names:
            must = f"a feature is one of {', '.join(self.names)}"
            raise ParameterError(sentence("Regions", must, shown(name)))
        return self.values[:, self.names.index(name)]

    def __str__(self) -> str:
        head = "  ".join(f"{name:>10}" for name in self.names)
        rows = ["  ".join(f"{x:>10.4g}" for x in row) for row in self.values]
        return "\n".join([str(self.segmentation), head, *rows])


def otsu_threshold(picture: Any) -> float:
    """Return the lightness that separates two lots of pixels best, (1).

    Parameters
    ----------
    picture : array of numbers, of any shape

    Returns
    -------
    float
        Midway between the lightnesses on both sides; nan where all are equal.

    Examples
    --------
    >>> otsu_threshold([[1, 1, 2, 9], [1, 2, 8, 9]])
    5.0
    """
    x = numbers("otsu_threshold", picture, "picture").ravel()
    if not len(x):
        raise DataError(sentence("otsu_threshold", "picture must have pixels", "none"))
    return _otsu(x)[0]


def _otsu(x: Floats) -> tuple[float, float]:
    """Return (1) and (2)."""
    values, counts = np.unique(x, return_counts=True)
    if len(values) > MANY:
        counts, edges = np.histogram(x, MANY)
        values = (edges[:-1] + edges[1:]) / 2
        values, counts = values[counts > 0], counts[counts > 0]
    if len(values) < 2:
        return float("nan"), 0.0
    share = counts / counts.sum()
    low = np.cumsum(share)[:-1]
    mean = float(share @ values)
    part = np.cumsum(share * (values - mean))[:-1]  # w_0 (m_0 - m)
    between = part**2 / (low * (1 - low))  # (1)
    best = int(between.argmax())
    t = float((values[best] + values[best + 1]) / 2)
    return t, float(between[best] / (share @ (values - mean) ** 2))


def segment_picture(
    picture: Any,
    *,
    threshold: float | None = None,
    objects: str = "auto",
    least_area: int | None = None,
) -> Segmentation:
    """Part a picture in a background and regions.

    Parameters
    ----------
    picture : array of shape (height, width), or (height, width, 3 or 4) in colours
    threshold : float, optional
        By default Otsu's, (1).
    objects : {'auto', 'bright', 'dark'}, default='auto'
        Which side the objects are; by default that which holds less of the border.
    least_area : int, optional
        Pixels of the smallest region; by default a thousandth of the picture.

    Returns
    -------
    Segmentation

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.applications import segment_picture
    >>> picture = np.zeros((20, 30))
    >>> picture[5:10, 4:20] = 0.8
    >>> picture[14:18, 22:28] = 0.9
    >>> print(segment_picture(picture))
    2 bright regions, threshold 0.4, separation 99.7%
    """
    who = "segment_picture"
    x = _lightness(who, picture)
    if objects not in ("auto", "bright", "dark"):
        must = "objects must be 'auto', 'bright' or 'dark'"
        raise ParameterError(sentence(who, must, shown(objects)))
    if threshold is not None and not real().holds(threshold):
        must = "threshold must be a number"
        raise ParameterError(sentence(who, must, shown(threshold)))
    if least_area is not None and not whole(1).holds(least_area):
        must = "least_area must be a whole number >= 1"
        raise ParameterError(sentence(who, must, shown(least_area)))
    found, separation = _otsu(x.ravel())
    t = found if threshold is None else float(threshold)
    bright = x > t
    if objects == "auto":
        edge = np.concatenate([bright[0], bright[-1], bright[:, 0], bright[:, -1]])
        objects = "dark" if edge.mean() > 0.5 else "bright"
    mask = bright if objects == "bright" else ~bright & ~np.isnan(t)
    labels, _ = ndimage.label(mask, structure=TOUCHING)
    areas = np.bincount(labels.ravel())[1:]
    least = max(1, int(DUST * x.size)) if least_area is None else int(least_area)
    order = np.argsort(-areas, kind="stable")
    kept = order[areas[order] >= least]
    names = np.zeros(len(areas) + 1, np.int64)
    names[kept + 1] = np.arange(1, len(kept) + 1)
    return Segmentation(names[labels], t, objects, separation)


def region_features(picture: Any, **options: Any) -> Regions:
    """Measure the regions of a picture, (3).

    Parameters
    ----------
    picture : array of shape (height, width), or (height, width, 3 or 4) in colours
    **options
        Of `segment_picture`: threshold, objects, least_area.

    Returns
    -------
    Regions

    Examples
    --------
    >>> import numpy as np
    >>> from corollary.applications import region_features
    >>> picture = np.zeros((20, 30))
    >>> picture[5:10, 4:20] = 0.8
    >>> found = region_features(picture)
    >>> [round(float(found[name][0]), 3) for name in ("length", "width", "lightness")]
    [16.0, 5.0, 0.8]
    """
    x = _lightness("region_features", picture)
    found = segment_picture(x, **options)
    places = ndimage.find_objects(found.regions)
    rows, centres = [], []
    for number, box in enumerate(places, start=1):
        mask = found.regions[box] == number
        own, centre = _measures(mask, x[box])
        rows.append(own)
        centres.append(centre + [axis.start for axis in box])
    values = np.array(rows).reshape(-1, len(FEATURES))
    return Regions(FEATURES, values, np.array(centres).reshape(-1, 2), found)


def picture_features(pictures: Iterable[Any], **options: Any) -> Floats:
    """Return the features of the largest region of each picture: rows for a learner.

    Parameters
    ----------
    pictures : iterable of pictures
    **options
        Of `segment_picture`.

    Returns
    -------
    array of shape (n, 9)
        Columns as in `Regions.names`; zeros where a picture shows nothing.
    """
    found = [region_features(picture, **options).values for picture in pictures]
    none = np.zeros(len(FEATURES))
    return np.array([v[0] if len(v) else none for v in found]).reshape(-1, len(none))


def _lightness(who: str, picture: Any) -> Floats:
    """Return the lightness of the pixels, (height, width)."""
    x = numbers(who, picture, "picture")
    if x.ndim == 3 and x.shape[2] in (3, 4):
        x = x[:, :, :3] @ np.array(COLOURS)
    if x.ndim != 2 or not x.size:
        must = "picture must be (height, width), or with 3 or 4 colours"
        raise DataError(sentence(who, must, f"shape {x.shape}"))
    return x


def _measures(mask: Vector, light: Floats) -> tuple[list[float], Floats]:
    """Return (3) of one region, and its middle."""
    p = np.argwhere(mask).astype(np.float64)  # (a, 2)
    a, centre = len(p), p.mean(axis=0)
    q = p - centre
    _, U = np.linalg.eigh(q.T @ q)
    along = q @ U[:, ::-1]  # the long axis first
    length, width = (along.max(axis=0) - along.min(axis=0) + 1).tolist()
    if width > length:
        length, width = width, length
    inside = light[mask]
    down, right = U[0, 1], U[1, 1]
    angle = float(np.degrees(np.arctan2(-down, right))) % 180
    edge = _perimeter(mask)
    return [
        float(a),
        length,
        width,
        length / width,
        float(inside.mean()),
        float(inside.std()),
        a / (length * width),
        4 * np.pi * a / edge**2,
        angle,
    ], centre


def _perimeter(mask: Vector) -> float:
    """Return the length of the edge: of sides, at 45 degrees where they make stairs.

    The number of pixel sides overrates a slanted edge; pi / 4 of it is right on average
    over all angles.
    """
    framed = np.pad(mask, 1).astype(np.int8)
    sides = (
        np.abs(np.diff(framed, axis=0)).sum() + np.abs(np.diff(framed, axis=1)).sum()
    )
    return float(np.pi / 4 * sides)
