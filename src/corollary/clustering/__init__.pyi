from .generalized_k_means import GeneralizedKMeans as GeneralizedKMeans
from .half_steps import HalfSteps as HalfSteps
from .half_steps import k_means_half_steps as k_means_half_steps
from .inertia import huygens as huygens
from .k_means import KMeans as KMeans
from .seeding import kmeans_plusplus as kmeans_plusplus
