from .inertia import huygens as huygens
from .k_means import KMeans as KMeans
from .seeding import k_means_plus_plus as k_means_plus_plus
