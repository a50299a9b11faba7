// The extension module. CMake compiles it, with all the loops, once for every width of
// vector; COROLLARY_LOOPS is the module's name.
#include "common/arrays.hpp"
#include "loops.hpp"

namespace {

// The widest module that this processor can run.
const char* widest() {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2")) {
        const bool v4 =
            __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
            __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
            __builtin_cpu_supports("avx512vl");
        return v4 ? "x86_64_v4" : "x86_64_v3";
    }
#endif
    return "baseline";
}

}  // namespace

NB_MODULE(COROLLARY_LOOPS, m) {
    nanobind::set_leak_warnings(false);  // a model may be alive when Python ends
    m.def("widest", &widest);
    corollary::bind_background_shap(m);
    corollary::bind_bins(m);
    corollary::bind_exact_sums(m);
    corollary::bind_box_dual(m);
    corollary::bind_histogram_tree(m);
    corollary::bind_boosting(m);
    corollary::bind_blended_trees(m);
    corollary::bind_cart(m);
    corollary::bind_class_counts(m);
    corollary::bind_coordinate_descent(m);
    corollary::bind_dual_descent(m);
    corollary::bind_finite(m);
    corollary::bind_interleave(m);
    corollary::bind_interrupt(m);
    corollary::bind_k_means(m);
    corollary::bind_kernel_rows(m);
    corollary::bind_moments(m);
    corollary::bind_multiclass_hinge(m);
    corollary::bind_naive_bayes(m);
    corollary::bind_logistic(m);
    corollary::bind_pair_sums(m);
    corollary::bind_rank_codes(m);
    corollary::bind_row_keys(m);
    corollary::bind_smo(m);
    corollary::bind_sparse_rows(m);
    corollary::bind_support_losses(m);
    corollary::bind_stochastic_gradient(m);
    corollary::bind_tree_predict(m);
    corollary::bind_tree_shap(m);
    corollary::bind_stump(m);
    corollary::bind_tweedie(m);
    corollary::bind_visit_orders(m);
}
