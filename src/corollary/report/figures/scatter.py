"""Points: what was said of each row against what is true."""

from __future__ import annotations

from markupsafe import Markup

from corollary.report.figures.frame import Frame, thin
from corollary.report.figures.scales import linear
from corollary.report.figures.svg import dots_path, element, line_path, stretched
from corollary.report.plain_data import Rows

__all__ = ["residual_chart", "truth_chart"]

MOST = 2000  # points that are drawn


def truth_chart(rows: Rows) -> Markup:
    """Return actual over predicted values, with the line where both are equal.

    Parameters
    ----------
    rows : list of (predicted, actual)
    """
    axis = linear([value for row in rows for value in row], margin=0.03)
    frame = Frame(
        axis,
        axis,
        title="Actual over predicted values",
        description=f"{len(rows)} rows; on the line the prediction is right",
        x_name="predicted",
        y_name="actual",
        square=True,
    )
    points = [frame.at(p, a) for p, a in thin(rows, MOST)]
    return frame.draw(
        stretched(
            element("path", class_="points first", d=dots_path(points)),
            element("path", class_="line quiet dashed", d=line_path([(0, 0), (1, 1)])),
        )
    )


def residual_chart(rows: Rows) -> Markup:
    """Return errors over predicted values, with the line of no error.

    Parameters
    ----------
    rows : list of (predicted, actual)
    """
    errors: Rows = [(p, a - p) for p, a in rows]
    frame = Frame(
        linear([p for p, _ in errors], margin=0.03),
        linear([e for _, e in errors]),
        title="Errors over predicted values",
        description="Actual less predicted; a good model shows no pattern here",
        x_name="predicted",
        y_name="actual less predicted",
        square=True,
    )
    points = [frame.at(p, e) for p, e in thin(errors, MOST)]
    zero = frame.y.share(0.0)
    return frame.draw(
        stretched(
            element("path", class_="points first", d=dots_path(points)),
            element(
                "path", class_="line quiet dashed", d=line_path([(0, zero), (1, zero)])
            ),
        )
    )
