from .best_threshold import BestThreshold as BestThreshold
from .best_threshold import ThresholdInterval as ThresholdInterval
from .best_threshold import best_threshold as best_threshold
from .best_threshold import best_threshold_of_counts as best_threshold_of_counts
from .decision_stump import DecisionStumpClassifier as DecisionStumpClassifier
from .decision_stump import Stump as Stump
from .decision_stump import best_stump as best_stump
from .decision_tree_classifier import DecisionTreeClassifier as DecisionTreeClassifier
from .decision_tree_regressor import DecisionTreeRegressor as DecisionTreeRegressor
from .description_length import DescriptionLength as DescriptionLength
from .description_length import ShortestTree as ShortestTree
from .description_length import (
    choose_by_description_length as choose_by_description_length,
)
from .description_length import description_length as description_length
from .export_graphviz import export_graphviz as export_graphviz
from .export_text import export_text as export_text
from .extra_tree_classifier import ExtraTreeClassifier as ExtraTreeClassifier
from .extra_tree_regressor import ExtraTreeRegressor as ExtraTreeRegressor
from .gain_table import GainTable as GainTable
from .id3 import ID3Classifier as ID3Classifier
from .multiway_tree import MultiwayTree as MultiwayTree
from .plot_tree import plot_tree as plot_tree
from .reduced_error_pruning import PrunedTree as PrunedTree
from .reduced_error_pruning import reduced_error_pruning as reduced_error_pruning
from .rule_list import RuleListClassifier as RuleListClassifier
from .rules import Condition as Condition
from .rules import Rule as Rule
from .rules import RuleList as RuleList
from .rules import tree_rules as tree_rules
from .sorted_columns import SortedColumns as SortedColumns
from .sorted_columns import presorted as presorted
