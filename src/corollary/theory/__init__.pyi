from .bound import Bound as Bound
