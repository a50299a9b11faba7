from .parametric import ParametricDensity as ParametricDensity
