"""Saving and loading models: safetensors arrays and JSON, nothing that can run.

A model file is one safetensors file.  Its header holds a checksum of the whole file and
a JSON tree, its body the arrays::

    {"format": 3, "version": "0.1.0", "class": "KMeans", "parameters": {...},
     "learned": {...}}

An estimator inside a model is such a tree again; one that stands in two places is named
by its number the second time.  A class is named by its key in `registry.SAVED`, or
in the list of scikit-learn's classes (`scikit_learn.py`), a record inside it by its
package and its class, which must be marked as stored (`core/records.py`).  No module
path is ever read from a file, and nothing is called or evaluated because a file says
so.  `load` checks every byte, name, type and shape before it hands out a model, and has
the model answer for some rows: a forged or damaged file ends in one sentence,
`ModelFileError`.

The checksum tells damage, not forgery: whoever can write a file can write its checksum.

No training row is in a file unless the method must keep rows to predict.

`scikit_learn.py` lists the classes of scikit-learn that may stand in a file,
`container.py` knows the bytes of a file, `trees.py` turns a model into a tree,
`models.py` a tree into a model, `audit.py` checks that model, `whole_files.py` replaces
a file whole or not at all.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import sklearn

from corollary import __version__
from corollary.core.errors import DataError, ModelFileError, ParameterError, sentence
from corollary.core.warn import warn
from corollary.persistence.audit import check_answers, reason_of
from corollary.persistence.container import FORMAT, packed, read_file, unpacked
from corollary.persistence.models import model_of
from corollary.persistence.trees import Aside, may_be_saved, model_tree
from corollary.persistence.whole_files import write_whole

__all__ = ["FORMAT", "load", "save"]


def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model, fitted or not, to a file.

    The file appears whole or not at all; what was there before stays until then.

    Parameters
    ----------
    model : estimator of Corollary, or a pipeline of scikit-learn
        Estimators of Corollary; scikit-learn's `Pipeline`, `ColumnTransformer`,
        voting, stacking, calibration, common transformers and plain models, with
        these and those inside.
    path : path-like
        Where to write; an existing file is replaced and its permissions are kept, a
        link is followed.

    Examples
    --------
    >>> import numpy as np, tempfile, os
    >>> from corollary import Ridge, load, save
    >>> model = Ridge().fit(np.eye(3), [1.0, 2.0, 3.0])
    >>> path = os.path.join(tempfile.mkdtemp(), "ridge.corollary")
    >>> save(model, path)
    >>> bool((load(path).coef_ == model.coef_).all())
    True
    """
    if not may_be_saved(model):
        must = "only estimators of Corollary, and pipelines of them, can be saved"
        raise ParameterError(sentence("save", must, f"a {type(model).__name__}"))
    aside = Aside()
    made = {"format": FORMAT, "version": __version__, "sklearn": sklearn.__version__}
    tree = made | model_tree(model, aside)
    write_whole(path, packed(tree, aside.arrays))


def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file written by `save`.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    estimator
    """
    shown = plain(Path(path).name)
    try:
        content = read_file(path)
        tree, arrays = unpacked(content)
        del content
        model = model_of(tree, Aside(arrays))
        if arrays:
            raise ModelFileError("the file holds arrays that the model does not use")
        check_answers(model)
    except (ModelFileError, DataError, ParameterError) as error:
        raise ModelFileError(cannot_load(shown, f"{error}")) from None
    except FileNotFoundError:
        raise ModelFileError(cannot_load(shown, "it does not exist")) from None
    except OSError as error:
        raise ModelFileError(cannot_load(shown, error.strerror or f"{error}")) from None
    except MemoryError:
        raise ModelFileError(cannot_load(shown, "it needs too much memory")) from None
    except Exception as error:  # whatever is wrong with a file is the file's fault
        reason = f"it holds what no save writes ({reason_of(error)})"
        raise ModelFileError(cannot_load(shown, reason)) from None
    warn_if_newer(shown, "Corollary", tree["version"], __version__)
    warn_if_newer(shown, "scikit-learn", tree.get("sklearn"), sklearn.__version__)
    return model


def cannot_load(shown: str, reason: str) -> str:
    """Say in one sentence that a file cannot be loaded, and why."""
    reason = plain(reason).rstrip(".")
    return f"load: {shown} cannot be loaded: {reason}."


def plain(text: str) -> str:
    """Write on one short line what a file may have had a say in."""
    line = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return line if len(line) <= 300 else f"{line[:297]}..."


def warn_if_newer(shown: str, library: str, wrote: Any, here: str) -> None:
    """Warn of a file that a later version wrote: it may mean more than we know."""
    if isinstance(wrote, str) and numbers(wrote) > numbers(here):
        text = (
            f"load: {shown} was written by {library} {plain(wrote)}, this is {here}. "
            f"Upgrade {library} if the model does not answer as it did there."
        )
        warn(text)


def numbers(version: str) -> list[int]:
    """Return the numbers of a version, so that 0.10 comes after 0.9."""
    return [int(part) for part in version.split(".")[:3] if part.isdigit()]
