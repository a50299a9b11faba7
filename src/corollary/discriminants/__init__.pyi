from .fisher_discriminant import FisherDiscriminant as FisherDiscriminant
from .fisher_discriminant import rayleigh_quotient as rayleigh_quotient
from .gaussian_discriminant import GaussianDiscriminant as GaussianDiscriminant
from .intercept import best_intercept as best_intercept
from .linear_discriminant_analysis import (
    LinearDiscriminantAnalysis as LinearDiscriminantAnalysis,
)
from .nearest_centroid import NearestCentroid as NearestCentroid
from .quadratic_discriminant_analysis import (
    QuadraticDiscriminantAnalysis as QuadraticDiscriminantAnalysis,
)
from .shrinkage import ledoit_wolf as ledoit_wolf
from .shrinkage import shrunk as shrunk
from .surfaces import Surface as Surface
from .surfaces import intersections as intersections
