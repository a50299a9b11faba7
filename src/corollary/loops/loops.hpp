// What each file of loops adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace corollary {

void bind_background_shap(nanobind::module_& m);
void bind_bins(nanobind::module_& m);
void bind_exact_sums(nanobind::module_& m);
void bind_box_dual(nanobind::module_& m);
void bind_histogram_tree(nanobind::module_& m);
void bind_boosting(nanobind::module_& m);
void bind_blended_trees(nanobind::module_& m);
void bind_cart(nanobind::module_& m);
void bind_class_counts(nanobind::module_& m);
void bind_coordinate_descent(nanobind::module_& m);
void bind_dual_descent(nanobind::module_& m);
void bind_finite(nanobind::module_& m);
void bind_interleave(nanobind::module_& m);
void bind_interrupt(nanobind::module_& m);
void bind_k_means(nanobind::module_& m);
void bind_kernel_rows(nanobind::module_& m);
void bind_moments(nanobind::module_& m);
void bind_multiclass_hinge(nanobind::module_& m);
void bind_naive_bayes(nanobind::module_& m);
void bind_logistic(nanobind::module_& m);
void bind_pair_sums(nanobind::module_& m);
void bind_rank_codes(nanobind::module_& m);
void bind_row_keys(nanobind::module_& m);
void bind_smo(nanobind::module_& m);
void bind_sparse_rows(nanobind::module_& m);
void bind_support_losses(nanobind::module_& m);
void bind_stochastic_gradient(nanobind::module_& m);
void bind_tree_predict(nanobind::module_& m);
void bind_tree_shap(nanobind::module_& m);
void bind_stump(nanobind::module_& m);
void bind_tweedie(nanobind::module_& m);
void bind_visit_orders(nanobind::module_& m);

}  // namespace corollary
