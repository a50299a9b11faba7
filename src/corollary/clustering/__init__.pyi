from .inertia import huygens as huygens
from .k_means import KMeans as KMeans
from .seeding import kmeans_plusplus as kmeans_plusplus
