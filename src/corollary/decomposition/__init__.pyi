from .pca import PCA as PCA
