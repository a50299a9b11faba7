from .region_features import Regions as Regions
from .region_features import Segmentation as Segmentation
from .region_features import otsu_threshold as otsu_threshold
from .region_features import picture_features as picture_features
from .region_features import region_features as region_features
from .region_features import segment_picture as segment_picture
from .text_classification import TextClassifier as TextClassifier
from .text_classification import words as words
