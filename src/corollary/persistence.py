"""Saving and loading models: safetensors arrays and JSON, nothing that can run.

A model file is one safetensors file.  Its header holds a JSON tree, its body the
arrays::

    {"format": 1, "class": "KMeans", "parameters": {...}, "learned": {...}}

An estimator inside a model is such a tree again.  A class is named by its key in
`registry.ESTIMATORS`, a record inside it by its key in `RECORDS`; no module path is
ever read from a file, and nothing is imported, called or evaluated because a file says
so.  `load` checks every name, type and shape before a
model exists: a forged or damaged file ends in one sentence, `ModelFileError`.

No training row is in a file unless the method must keep rows to predict.
"""

from __future__ import annotations

import dataclasses
import importlib
import json
import os
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.base import BaseEstimator

from corollary import __version__
from corollary.core.errors import ModelFileError, ParameterError, sentence
from corollary.core.params import check_parameters
from corollary.core.report import Report
from corollary.registry import ESTIMATORS

__all__ = ["load", "save"]

FORMAT = 1
NUMERIC = (
    "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64".split()
)
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, RecursionError)

#: Records that may stand inside a model, and where they are defined; a name that two
#: packages use has its package before it.
RECORDS = {
    "CLogLog": "corollary.objectives.links",
    "Cauchit": "corollary.objectives.links",
    "LogLog": "corollary.objectives.links",
    "Logit": "corollary.objectives.links",
    "Probit": "corollary.objectives.links",
    "EpsilonInsensitive": "corollary.objectives.residual_losses",
    "Huber": "corollary.objectives.residual_losses",
    "Logistic": "corollary.objectives.margin_losses",
    "Quantile": "corollary.objectives.residual_losses",
    "SquaredEpsilonInsensitive": "corollary.objectives.residual_losses",
    "Assigned": "corollary.clustering.k_means",
    "Centroids": "corollary.discriminants.nearest_centroid",
    "Centres": "corollary.clustering.k_means",
    "Far": "corollary.clustering.k_means",
    "ClassMoments": "corollary.engine.classes",
    "ClassScatters": "corollary.engine.classes",
    "Gaussians": "corollary.bayes.gaussian_nb",
    "FeatureCounts": "corollary.bayes.discrete",
    "LogTable": "corollary.bayes.discrete",
    "CategoryCounts": "corollary.bayes.categories",
    "MixedModel": "corollary.bayes.mixed_nb",
    "MixedSums": "corollary.bayes.mixed_nb",
    "Estimated": "corollary.density.parametric",
    "Bernoulli": "corollary.distributions.bernoulli",
    "BernoulliFamily": "corollary.distributions.bernoulli",
    "Beta": "corollary.distributions.bernoulli",
    "BetaBinomial": "corollary.distributions.bernoulli",
    "Binomial": "corollary.distributions.binomial",
    "BinomialFamily": "corollary.distributions.binomial",
    "Categorical": "corollary.distributions.categorical",
    "CategoricalFamily": "corollary.distributions.categorical",
    "Dirichlet": "corollary.distributions.categorical",
    "Tally": "corollary.distributions.categorical",
    "Sums": "corollary.distributions.distribution",
    "Gaussian": "corollary.distributions.gaussian",
    "GaussianFamily": "corollary.distributions.gaussian",
    "DirichletMultinomial": "corollary.distributions.multinomial",
    "Multinomial": "corollary.distributions.multinomial",
    "MultinomialFamily": "corollary.distributions.multinomial",
    "NormalInverseWishart": "corollary.distributions.normal_inverse_wishart",
    "NormalMean": "corollary.distributions.normal_mean",
    "Gamma": "corollary.distributions.poisson",
    "NegativeBinomial": "corollary.distributions.poisson",
    "Poisson": "corollary.distributions.poisson",
    "PoissonFamily": "corollary.distributions.poisson",
    "StudentT": "corollary.distributions.student_t",
    "Largest": "corollary.distributions.uniform",
    "PowerLaw": "corollary.distributions.uniform",
    "Uniform": "corollary.distributions.uniform",
    "UniformFamily": "corollary.distributions.uniform",
    "UniformPredictive": "corollary.distributions.uniform",
    "ComponentFit": "corollary.linear.component_regression",
    "Directions": "corollary.linear.component_regression",
    "Fitted": "corollary.engine.run",
    "GaussianPosterior": "corollary.linear.bayesian_learner",
    "FoldSums": "corollary.linear.component_regression",
    "PrincipalAxes": "corollary.solvers.principal_axes",
    "Indicators": "corollary.linear.least_squares_classifier",
    "GLMSums": "corollary.linear.glm_sums",
    "Ladder": "corollary.discriminants.gaussian_discriminant",
    "Line": "corollary.discriminants.linear_discriminant_analysis",
    "Machine": "corollary.linear.sequential",
    "Moments": "corollary.engine.statistics",
    "Product": "corollary.linear.least_squares",
    "Quadrics": "corollary.discriminants.quadratic_discriminant_analysis",
    "RidgePath": "corollary.linear.ridge_path",
    "Route": "corollary.linear.least_squares",
    "ConjugateGradient": "corollary.solvers.conjugate_gradient",
    "Scattered": "corollary.discriminants.scatter_learner",
    "Solution": "corollary.solvers.least_squares",
    "Spectrum": "corollary.decomposition.pca",
    "Trace": "corollary.linear.perceptron",
    "Triangle": "corollary.engine.statistics",
    "WithinScatter": "corollary.engine.classes",
    "Variances": "corollary.engine.statistics",
    "kernels.Bilinear": "corollary.kernels.inner_product",
    "kernels.ChiSquare": "corollary.kernels.histogram",
    "kernels.Constant": "corollary.kernels.algebra",
    "kernels.Exp": "corollary.kernels.algebra",
    "kernels.Exponential": "corollary.kernels.inner_product",
    "kernels.Gaussian": "corollary.kernels.radial",
    "kernels.HistogramIntersection": "corollary.kernels.histogram",
    "kernels.InverseMultiquadric": "corollary.kernels.radial",
    "kernels.Laplacian": "corollary.kernels.radial",
    "kernels.Linear": "corollary.kernels.inner_product",
    "kernels.Normalised": "corollary.kernels.algebra",
    "kernels.Polynomial": "corollary.kernels.inner_product",
    "kernels.PolynomialOf": "corollary.kernels.algebra",
    "kernels.Precomputed": "corollary.kernels.given",
    "kernels.Product": "corollary.kernels.algebra",
    "kernels.Scaled": "corollary.kernels.algebra",
    "kernels.Sigmoid": "corollary.kernels.inner_product",
    "kernels.Spectrum": "corollary.kernels.strings",
    "kernels.Subsequence": "corollary.kernels.strings",
    "kernels.Sum": "corollary.kernels.algebra",
}


# -- saving ------------------------------------------------------------------------
def save(model: Any, path: str | os.PathLike[str]) -> None:
    """Write a model, fitted or not, to a file.

    The file appears whole or not at all.

    Parameters
    ----------
    model : estimator of Corollary
    path : path-like
        Where to write; an existing file is replaced.

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
    from safetensors.numpy import save as to_bytes

    if not _ours(model):
        must = "only estimators of Corollary can be saved"
        raise ParameterError(sentence("save", must, f"a {type(model).__name__}"))
    arrays: dict[str, Any] = {}
    tree = {"format": FORMAT, "version": __version__, **_model_tree(model, arrays)}
    content = to_bytes(arrays, metadata={"corollary": json.dumps(tree)})
    path = Path(path)
    handle, scratch = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        os.replace(scratch, path)
    except BaseException:
        Path(scratch).unlink(missing_ok=True)
        raise


def _ours(model: Any) -> bool:
    name = type(model).__name__
    return ESTIMATORS.get(name) == type(model).__module__


def _model_tree(model: Any, arrays: dict[str, Any]) -> dict[str, Any]:
    """Return class, parameters and what was learned."""
    name, parameters = type(model).__name__, model.get_params(deep=False)
    learned = {k: v for k, v in vars(model).items() if k not in parameters}
    return {
        "class": name,
        "parameters": _tree_of(parameters, arrays, name),
        "learned": _tree_of(learned, arrays, name),
    }


def _tree_of(value: Any, arrays: dict[str, Any], who: str) -> Any:
    """Turn a value into JSON; arrays go aside and leave their number."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return {"float": value.hex()}
    if isinstance(value, np.generic) and value.dtype.name in NUMERIC:
        return {"scalar": _tree_of(np.asarray(value), arrays, who)}
    if isinstance(value, np.ndarray):
        return _array_tree(value, arrays, who)
    if sp.issparse(value):
        return _sparse_tree(value, arrays, who)
    if isinstance(value, np.dtype) or value in (np.float32, np.float64):
        return {"dtype": np.dtype(value).name}
    if isinstance(value, list | tuple):
        kind = "list" if isinstance(value, list) else "tuple"
        return {kind: [_tree_of(item, arrays, who) for item in value]}
    if isinstance(value, dict):
        items = [
            [_tree_of(k, arrays, who), _tree_of(v, arrays, who)]
            for k, v in value.items()
        ]
        return {"dict": items}
    if isinstance(value, Report):
        return {"report": _tree_of(value.to_dict(), arrays, who)}
    if _ours(value):
        return {"estimator": _model_tree(value, arrays)}
    name = type(value).__name__
    if isinstance(value, BaseEstimator):
        must = "an estimator inside a model to be saved must be one of Corollary's"
        raise ParameterError(sentence(who, must, f"a {type(value).__module__}.{name}"))
    key = _record_key(type(value))
    if key is not None and dataclasses.is_dataclass(value):
        fields = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {
            "record": key,
            "fields": {k: _tree_of(v, arrays, who) for k, v in fields.items()},
        }
    must = "a model to be saved must hold plain values and arrays"
    remedy = "Give whole numbers as random_state and arrays instead of functions."
    raise ParameterError(sentence(who, must, f"a {name}", remedy))


def _record_key(cls: type) -> str | None:
    """Find a record's class in the table, by its name or with its package before."""
    package = cls.__module__.split(".")[1:2]
    keys = (cls.__name__, ".".join([*package, cls.__name__]))
    return next((key for key in keys if RECORDS.get(key) == cls.__module__), None)


def _array_tree(value: Any, arrays: dict[str, Any], who: str) -> Any:
    if value.dtype.kind in "OU":
        items = [_tree_of(item, arrays, who) for item in value.ravel().tolist()]
        return {"objects": items, "kind": value.dtype.kind, "shape": list(value.shape)}
    if value.dtype.name not in NUMERIC:
        must = "arrays to be saved must hold numbers, booleans or strings"
        raise ParameterError(sentence(who, must, f"{value.dtype}"))
    key = f"a{len(arrays)}"
    arrays[key] = np.ascontiguousarray(value)
    return {"array": key, "shape": list(value.shape)}


def _sparse_tree(value: Any, arrays: dict[str, Any], who: str) -> Any:
    rows = sp.csr_array(value)
    parts = (rows.data, rows.indices, rows.indptr)
    kept = [_array_tree(part, arrays, who) for part in parts]
    return {"csr": kept, "shape": list(rows.shape)}


# -- loading -----------------------------------------------------------------------
def load(path: str | os.PathLike[str]) -> Any:
    """Read a model from a file written by `save`.

    Parameters
    ----------
    path : path-like

    Returns
    -------
    estimator
    """
    from safetensors import SafetensorError, safe_open

    shown = Path(path).name
    try:
        with safe_open(os.fspath(path), framework="numpy") as file:
            text = (file.metadata() or {}).get("corollary", "")
            arrays = {key: file.get_tensor(key) for key in file.keys()}
        tree = json.loads(text)
    except FileNotFoundError:
        raise ModelFileError(
            sentence("load", f"{shown} must exist", "nothing")
        ) from None
    except (SafetensorError, OSError, ValueError, KeyError, RecursionError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        must = f"{shown} must be a Corollary model file"
        raise ModelFileError(sentence("load", must, reason)) from None
    try:
        if not isinstance(tree, dict) or tree.get("format") != FORMAT:
            raise ModelFileError(f"the format must be {FORMAT}")
        return _model(tree, arrays)
    except ModelFileError as error:
        raise ModelFileError(f"load: {shown} is damaged or forged: {error}") from None
    except DAMAGE as error:
        reason = " ".join(str(error).split()).rstrip(".") or type(error).__name__
        raise ModelFileError(f"load: {shown} is damaged or forged: {reason}.") from None


def _model(tree: dict[str, Any], arrays: dict[str, Any]) -> Any:
    """Build a model, or an estimator inside one, and check all of it."""
    if tree["class"] not in ESTIMATORS:
        raise ModelFileError(f"{tree['class']!r} is no estimator of Corollary")
    cls = getattr(importlib.import_module(ESTIMATORS[tree["class"]]), tree["class"])
    parameters = _value_of(tree["parameters"], arrays)
    learned = _value_of(tree["learned"], arrays)
    if set(parameters) != set(cls().get_params(deep=False)):
        raise ModelFileError("the parameters are not those of the class")
    model = cls(**parameters)
    check_parameters(model, cls.rules)
    for name, value in learned.items():
        if not re.fullmatch(r"[a-zA-Z]\w*_|_running|_n_features_out", name):
            raise ModelFileError(f"{name!r} is no learned attribute")
        if hasattr(cls, name) or not isinstance(name, str):
            raise ModelFileError(f"{name!r} would hide a method")
        setattr(model, name, value)
    if learned:
        check_shapes(model)
    return model


def check_shapes(model: Any) -> None:
    """Hold the learned arrays to the shapes that the class declares."""
    sizes: dict[str, int] = {"d": model.n_features_in_}
    if not isinstance(sizes["d"], int) or sizes["d"] < 1:
        raise ModelFileError("n_features_in_ must be a whole number >= 1")
    for name, allowed in type(model).shapes.items():
        value = getattr(model, name)
        array = value if sp.issparse(value) else np.asarray(value)
        for dims in allowed.split("|"):
            if _fits(array.shape, dims.split(), sizes):
                break
        else:
            raise ModelFileError(
                f"{name} must have shape ({allowed}), not {array.shape}"
            )
        wrong = np.isnan if "_log_" in name else _not_finite  # log 0 is infinite
        entries = array.data if sp.issparse(array) else array
        if array.dtype.kind == "f" and wrong(entries).any():
            raise ModelFileError(f"{name} must be finite")
    if hasattr(model, "_audit"):
        model._audit()
    for name, method in type(model).parts.items():
        value = getattr(model, name)
        for part in value if isinstance(value, list) else [value]:
            check_part(model, name, part, method)


def check_part(model: Any, name: str, part: Any, method: str) -> None:
    """Hold an estimator inside a model to the model's features and classes."""
    if not _ours(part) or not hasattr(part, method):
        raise ModelFileError(f"{name} must be an estimator with {method}")
    if getattr(part, "n_features_in_", None) != model.n_features_in_:
        raise ModelFileError(f"{name} must have the features of the model")
    if not hasattr(part, "classes_"):
        return
    known = list(part.classes_)
    if type(model).binary_parts:
        if known not in ([0, 1], [0], [1]):
            raise ModelFileError(f"{name} must have the classes 0 and 1")
    elif known != list(model.classes_):
        raise ModelFileError(f"{name} must have the classes of the model")


def _not_finite(array: Any) -> Any:
    return ~np.isfinite(array)


def _fits(shape: tuple[int, ...], dims: list[str], sizes: dict[str, int]) -> bool:
    if len(shape) != len(dims):
        return False
    trial = dict(sizes)
    for size, dim in zip(shape, dims, strict=True):
        if trial.setdefault(dim, int(dim) if dim.isdigit() else size) != size:
            return False
    sizes.update(trial)
    return True


def _value_of(tree: Any, arrays: dict[str, Any]) -> Any:
    """Turn JSON back into a value; only the forms that `save` writes are known."""
    if tree is None or isinstance(tree, bool | int | str):
        return tree
    if not isinstance(tree, dict):
        raise ModelFileError(f"{tree!r} is not written by save")
    match tree:
        case {"float": str(text)}:
            return float.fromhex(text)
        case {"scalar": inner}:
            return _value_of(inner, arrays)[()]
        case {"array": str(key), "shape": list(shape)}:
            return arrays[key].reshape(shape).copy()
        case {"csr": [data, indices, indptr], "shape": [int(n), int(d)]}:
            parts = [_value_of(part, arrays) for part in (data, indices, indptr)]
            return _csr(parts[0], parts[1], parts[2], (n, d))
        case {"objects": list(items), "kind": "O" | "U" as kind, "shape": list(shape)}:
            values = np.empty(len(items), dtype=object)
            values[:] = [_value_of(item, arrays) for item in items]
            return (values if kind == "O" else values.astype(str)).reshape(shape)
        case {"dtype": "float32" | "float64" as name}:
            return np.dtype(name)
        case {"list": list(items)}:
            return [_value_of(item, arrays) for item in items]
        case {"tuple": list(items)}:
            return tuple(_value_of(item, arrays) for item in items)
        case {"dict": list(items)}:
            return {_value_of(k, arrays): _value_of(v, arrays) for k, v in items}
        case {"estimator": dict(inner)}:
            return _model(inner, arrays)
        case {"report": inner}:
            return Report.from_dict(_value_of(inner, arrays))
        case {"record": str(name), "fields": dict(fields)}:
            return _record(name, fields, arrays)
    raise ModelFileError(f"{sorted(tree)} is not written by save")


def _csr(data: Any, indices: Any, indptr: Any, shape: tuple[int, int]) -> Any:
    """Build sparse rows; every index is checked, for loops will trust them."""
    good = len(indptr) == shape[0] + 1 and len(data) == len(indices)
    good = good and indices.dtype.kind == indptr.dtype.kind == "i"
    good = good and data.ndim == indices.ndim == indptr.ndim == 1
    good = good and indptr[0] == 0 and indptr[-1] == len(data)
    good = good and (np.diff(indptr) >= 0).all()
    if len(indices):
        good = good and indices.min() >= 0 and indices.max() < shape[1]
    if not good:
        raise ModelFileError("sparse rows must have valid indices")
    rows = sp.csr_array((data, indices, indptr), shape=shape)
    rows.sum_duplicates()
    return rows


def _record(name: str, fields: dict[str, Any], arrays: dict[str, Any]) -> Any:
    if name not in RECORDS:
        raise ModelFileError(f"{name!r} is no record of Corollary")
    cls = getattr(importlib.import_module(RECORDS[name]), name.rpartition(".")[2])
    if set(fields) != {f.name for f in dataclasses.fields(cls)}:
        raise ModelFileError(f"{name} has other fields")
    return cls(**{k: _value_of(v, arrays) for k, v in fields.items()})
