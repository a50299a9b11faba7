from .decision_regions import decision_regions as decision_regions
from .duality import plot_dual as plot_dual
from .duality import plot_region as plot_region
from .projections import ClassProjection as ClassProjection
from .projections import class_projection as class_projection
