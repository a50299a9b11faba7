"""Types of the compiled loops. Arrays are C-contiguous and taken as they are.

``Real`` arrays of one call share a dtype, float32 or float64: X's. A CSR matrix is its
``data``, ``indices`` (int32) and ``indptr`` (int32 or int64, maybe a slice: its offsets
count from data[0]). Arrays that a loop writes are named in its comment.
"""

from typing import Any, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

Real = TypeVar("Real", np.float32, np.float64)
Doubles: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.int32]
Bytes: TypeAlias = NDArray[np.uint8]
Offsets: TypeAlias = NDArray[np.int32] | NDArray[np.int64]
Places: TypeAlias = NDArray[np.int64]
Keys: TypeAlias = NDArray[np.uint64]
TreeArrays: TypeAlias = tuple[
    Ints,  # (nodes,) left child
    Ints,  # right child
    Ints,  # feature, below 0 at a leaf
    Doubles,  # threshold, NaN at a split by categories
    NDArray[np.uint8],  # whether missing values go left
    Ints | None,  # row of the sets of categories, or -1
    NDArray[np.uint32] | None,  # (sets, words) bits of the categories that go left
]

target: str  # the module in use: "baseline", "x86_64_v3", "x86_64_v4"

# -- background_shap.cpp ---------------------------------------------------------------
def background_shap(
    X: Doubles,  # (n, d)
    background: Doubles,  # (m, d)
    trees: list[TreeNodes],
    first: Ints,
    outputs: int,  # K
    most: int,  # features of one path
    out: Doubles,  # (n, K d) added to: sums over the background rows
    pairs: Doubles | None,  # (n, K d d) added to, the diagonals left alone
    threads: int,
) -> None: ...

# -- box_dual.cpp --------------------------------------------------------------------
def snapped(
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    share: float,  # of the largest |b| that is near
    out: Doubles,  # (v,) out
) -> None: ...
def violation(
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
) -> float: ...
def offsets(
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    g: int,
) -> tuple[float, float]: ...  # the least, the largest
def least_gap(
    f: Doubles,  # (v,)
    b: Doubles,
    lo: Doubles,
    hi: Doubles,
    eps: Doubles,
    rounding: float,  # of f
    low: float,  # of the offset
    high: float,
    rho: float,  # a first guess
    least: float,  # share of the gap that may be left to gain
    floor: float,  # or this much
) -> tuple[float, float]: ...  # gap, offset
def duality_gap(
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    groups: int,
    enough: float,
) -> float: ...
def gap_at(
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    start: Doubles,  # (v,)
    rounding: float,  # of f
    rho: Doubles,  # (groups,)
) -> float: ...
def kept_offsets(
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    start: Doubles,  # (v,)
    rounding: float,  # of f
    ends: Doubles,  # (groups, 2) out
) -> float: ...  # the gap at their middles
def free_variables(
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    free: Places,  # (v,) out
) -> int: ...  # how many
def exact_system(
    K: NDArray[Real],  # (slots, n)
    slots: Places,  # (m,) where the rows of the free variables are
    columns: Places,  # (m,) their columns
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    groups: int,
    free: Places,  # (m,)
    A: Doubles,  # (m + groups, m + groups) out
    target: Doubles,  # (m + groups,) out
) -> float: ...  # the largest sum of |A| in a column
def exact_step(
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    groups: int,
    free: Places,  # (m,)
    step: Doubles,  # (m,) in and out
) -> bool: ...  # whether it meets no bound

# -- cart.cpp --------------------------------------------------------------------------
def grow_trees(
    codes: NDArray[np.unsignedinteger],  # (d, n) of rank_codes
    counts: Places,  # (d,) codes of a column
    start: Places,  # (d,) where its values begin
    low: Doubles,  # least value of each code
    high: Doubles,  # largest value of each code
    category: NDArray[np.uint8] | None,  # (d,)
    monotonic: NDArray[np.int8] | None,  # (d,)
    words: int,  # of a set of categories
    measure: int,  # in the order of the C++ enum Measure
    z: Ints | None,  # (n, m) classes, or else
    y: Doubles | None,  # (n, m) numbers
    classes: Places,  # (m,) 1 for numbers
    weight: Doubles | None,  # (n,)
    draws: int,  # of a bootstrap sample, 0 = all rows
    order: Ints | None,  # (n,) rows in an order of their content
    cumulative: Doubles | None,  # (n,) of the weights by which they are drawn
    balanced: bool,  # classes weigh alike in a bootstrap sample
    rules: Doubles,  # (8,) in the order of the C++ record Rules
    seeds: Keys,  # of each tree
    threads: int,
) -> list[tuple[NDArray[Any], ...]]: ...  # the fields of trees.tree.Tree
def bootstrap_rows(
    seed: int,
    order: Ints,  # (n,)
    cumulative: Doubles | None,  # (n,)
    out: Ints,  # out: the rows drawn
) -> None: ...

# -- class_counts.cpp ----------------------------------------------------------------
def class_counts(
    X: NDArray[Real],  # (n, d)
    z: Ints,  # (n,) class codes 0..k-1
    w: Doubles | None,  # (n,)
    threshold: float | None,  # count what is above it, instead of summing X
    n: Doubles,  # (k,) added to
    N: Doubles,  # (k, d) added to
) -> tuple[float, float]: ...  # the least and the largest of X
def class_counts_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    z: Ints,
    w: Doubles | None,
    threshold: float | None,
    n: Doubles,
    N: Doubles,
) -> tuple[float, float]: ...
def code_counts(
    codes: Ints,  # (n, p) columns of N
    z: Ints,  # (n,)
    w: Doubles | None,  # (n,)
    n: Doubles,  # (k,) added to
    N: Doubles,  # (k, d) added to
) -> None: ...
def row_scores_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    threshold: float | None,
    W: Doubles,  # (d, k)
    constant: Doubles,  # (k,)
    out: NDArray[Real],  # (n, k) out
    threads: int,
) -> None: ...
def code_scores(
    codes: Ints,  # (n, p) rows of W
    W: Doubles,  # (d, k)
    constant: Doubles,  # (k,)
    out: NDArray[Real],  # (n, k) out
    threads: int,
) -> None: ...

# -- coordinate_descent.cpp ----------------------------------------------------------
def descend(
    G: Doubles,  # (m, m) of which the first p x p are used
    c: Doubles,  # (p,) Xc'W yc
    y2: float,  # yc'W yc
    l1: float,
    l2: float,
    positive: bool,
    epochs: int,
    goal: float,  # the duality gap at which to stop
    b: Doubles,  # (p,) start, and out
    q: Doubles,  # (p,) c - G b, and out
) -> tuple[int, float]: ...  # epochs, duality gap
def descend_blocks(
    G: Doubles,  # (k, k) of which the first p x p are used
    c: Doubles,  # (m, p) Yc'W Xc
    y2: float,  # sum of the squares of Yc
    l1: float,
    l2: float,
    epochs: int,
    goal: float,  # the duality gap at which to stop
    b: Doubles,  # (m, p) start, and out
    q: Doubles,  # (m, p) c - b G, and out
    step: Doubles,  # (m,) scratch
) -> tuple[int, float]: ...  # epochs, duality gap

# -- dual_descent.cpp ----------------------------------------------------------------
def dual_rounds(
    X: NDArray[Real],  # (n, d)
    q: Doubles,  # (n,)
    lo: Doubles,  # (n,)
    hi: Doubles,  # (n,)
    ridge: Doubles,  # (n,)
    eps: float,
    squares: Doubles,  # (n,) ||x||^2 + constant^2
    constant: float,  # the feature that b weighs, 0 for none
    order: Places,  # (n,) changed: the variables at work come first
    active: int,  # how many of them
    slack: float,  # by which a variable must rest to be left out
    rounds: int,
    tol: float,  # of the largest violation
    shrink: bool,
    seed: int,
    beta: Doubles,  # (n,) changed
    w: Doubles,  # (d,) changed, beta'X
    b: Doubles,  # (1,) changed, constant times the sum of beta
) -> tuple[int, int, float]: ...  # rounds, variables at work, violation
def dual_rounds_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    q: Doubles,
    lo: Doubles,
    hi: Doubles,
    ridge: Doubles,
    eps: float,
    squares: Doubles,
    constant: float,
    order: Places,
    active: int,
    slack: float,
    rounds: int,
    tol: float,
    shrink: bool,
    seed: int,
    beta: Doubles,
    w: Doubles,
    b: Doubles,
) -> tuple[int, int, float]: ...
def box_rounds(
    K: Doubles,  # (n, n)
    q: Doubles,  # (n,)
    lo: Doubles,  # (n,)
    hi: Doubles,  # (n,)
    ridge: Doubles,  # (n,)
    eps: float,
    rounds: int,
    tol: float,
    beta: Doubles,  # (n,) changed
    f: Doubles,  # (n,) changed, K beta
) -> tuple[int, float]: ...  # rounds, violation

# -- finite.cpp ----------------------------------------------------------------------
def largest_size(x: NDArray[Real], threads: int) -> float: ...  # x: (n,)

# -- interleave.cpp ------------------------------------------------------------------
def interleave(columns: list[NDArray[Real]], out: NDArray[Real]) -> None: ...

# -- interrupt.cpp -------------------------------------------------------------------
class Token:  # asks the threads that watch it to stop; a child of the thread's own
    def __init__(self) -> None: ...
    def stop(self) -> None: ...
    def stopped(self) -> bool: ...  # or the token above it

def watch(token: Token | None) -> Token | None: ...  # the one that was watched before
def asked_to_stop() -> bool: ...  # whether the watched token is stopped
def begin_apart() -> bool: ...  # whether the process can end without this call
def end_apart() -> None: ...

# -- k_means.cpp ---------------------------------------------------------------------
def nearest(
    X: NDArray[Real],  # (n, d)
    mu: NDArray[Real],  # (k, d)
    labels: Ints,  # (n,) out
    d2: NDArray[Real],  # (n,) out
    threads: int,
) -> None: ...
def nearest_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    mu: NDArray[Real],
    labels: Ints,
    d2: NDArray[Real],
    threads: int,
) -> None: ...
def assign(
    X: NDArray[Real],  # (n, d)
    w: Doubles | None,  # (n,)
    mu: NDArray[Real],  # (k, d)
    labels: Ints,  # (n,) memory
    lower: NDArray[Real],  # (n,) memory
    fresh: bool,  # the memory is empty
    drift_max: float,  # the farthest that any centre moved since the memory was written
    n: Doubles,  # (k,) added to
    sum_x: Doubles,  # (k, d) added to
) -> tuple[float, int]: ...  # J, rows that Hamerly's test did not spare
def assign_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    w: Doubles | None,
    mu: NDArray[Real],
    labels: Ints,
    lower: NDArray[Real],
    fresh: bool,
    drift_max: float,
    n: Doubles,
    sum_x: Doubles,
) -> tuple[float, int]: ...

# -- moments.cpp ---------------------------------------------------------------------
def moments(
    X: NDArray[Real],  # (n, d)
    Y: NDArray[Real] | None,  # (n, m)
    w: Doubles | None,  # (n,)
    shift: NDArray[Real],  # (d + m,)
    s: Doubles,  # (d + m,) out
    G: Doubles,  # (d + m, d + m) out
) -> None: ...

# -- multiclass_hinge.cpp --------------------------------------------------------------
def hinge_round(
    X: NDArray[Real],  # (n, d)
    y: Ints,  # (n,) codes of the classes
    order: NDArray[np.int64],  # rows to visit
    C: Doubles,  # (n,) cost of a row
    squares: Doubles,  # (n,) ||x||^2 + constant^2
    sum: bool,  # of the violations, or the largest one
    constant: float,  # the feature that b weighs, 0 for none
    alpha: Doubles,  # (n, K) changed
    W: Doubles,  # (K, d) changed, alpha'X
    b: Doubles,  # (K,) changed
) -> None: ...
def hinge_round_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    y: Ints,
    order: NDArray[np.int64],
    C: Doubles,
    squares: Doubles,
    sum: bool,
    constant: float,
    alpha: Doubles,
    W: Doubles,
    b: Doubles,
) -> None: ...

# -- naive_bayes.cpp -----------------------------------------------------------------
def class_moments(
    X: NDArray[Real],  # (n, d)
    z: Ints,  # (n,) class codes 0..k-1
    w: Doubles | None,  # (n,)
    n: Doubles,  # (k,) out
    mean: Doubles,  # (k, d) out
    M2: Doubles,  # (k, d) out
) -> None: ...
def joint_log_likelihood(
    X: NDArray[Real],  # (n, d)
    theta: Doubles,  # (k, d)
    precision: Doubles,  # (k, d)
    constant: Doubles,  # (k,)
    out: NDArray[Real],  # (n, k) out
    threads: int,
) -> None: ...

# -- kernel_rows.cpp -----------------------------------------------------------------
def kernel_sums(
    X: NDArray[Real],  # (n, d)
    x2: NDArray[Real],  # (n,) squares of the rows
    panels: NDArray[Real],  # (p, d, 64 bytes of columns)
    squares: NDArray[Real],  # (p * columns,)
    kind: int,  # 0 linear, 1 polynomial, 2 sigmoid, 3 gaussian
    gamma: float,
    coef0: float,
    degree: int,
    B: NDArray[Real],  # (m, p * columns)
    out: Doubles,  # (n, m) added to
    threads: int,
) -> None: ...
def kernel_rows(
    X: NDArray[Real],  # (m, d)
    x2: NDArray[Real],  # (m,) squares of the rows
    panels: NDArray[Real],  # (p, d, 64 bytes of columns)
    squares: NDArray[Real],  # (p * columns,)
    kind: int,  # 0 linear, 1 polynomial, 2 sigmoid, 3 gaussian, 4 wave
    gamma: float,
    coef0: float,
    degree: int,
    out: NDArray[Real],  # (slots, n) rows `slots` are written
    slots: Places,  # (m,)
    threads: int,
) -> None: ...
def kernel_square(
    X: NDArray[Real],  # (n, d)
    x2: NDArray[Real],  # (n,) squares of the rows
    panels: NDArray[Real],  # (p, d, 64 bytes of columns) the same rows
    squares: NDArray[Real],  # (p * columns,)
    kind: int,  # 0 linear, 1 polynomial, 2 sigmoid, 3 gaussian, 4 wave
    gamma: float,
    coef0: float,
    degree: int,
    out: NDArray[Real],  # (n, n) out
    threads: int,
) -> None: ...

# -- logistic.cpp --------------------------------------------------------------------
def binary(
    X: NDArray[Real],  # (n, d)
    y: Doubles,  # (n,) in [0, 1]
    w: Doubles | None,  # (n,)
    coef: Doubles,  # (d,)
    intercept: float,
    grad: Doubles,  # (d,) added to
    curvature: NDArray[Real] | None,  # (n,) out
) -> tuple[float, float]: ...  # loss, gradient of the intercept
def binary_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    y: Doubles,
    w: Doubles | None,
    coef: Doubles,
    intercept: float,
    grad: Doubles,
    curvature: NDArray[Real] | None,
) -> tuple[float, float]: ...
def multinomial(
    X: NDArray[Real],  # (n, d)
    z: Ints,  # (n,) class codes 0..K-1
    w: Doubles | None,  # (n,)
    W: Doubles,  # (K, d)
    b: Doubles,  # (K,)
    grad: Doubles,  # (K, d) added to
    grad_b: Doubles,  # (K,) added to
    P: NDArray[Real] | None,  # (n, K) out
) -> float: ...  # loss
def multinomial_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    z: Ints,
    w: Doubles | None,
    W: Doubles,
    b: Doubles,
    grad: Doubles,
    grad_b: Doubles,
    P: NDArray[Real] | None,
) -> float: ...

# -- pair_sums.cpp -------------------------------------------------------------------
def pair_sums(
    X: NDArray[Real],  # (m, d)
    panels: NDArray[Real],  # (p, d, 64 bytes of columns)
    term: int,  # 0 distance, 1 chi-square, 2 harmonic, 3 intersection
    out: NDArray[Real],  # (m, n) out
    threads: int,
) -> None: ...

# -- rank_codes.cpp --------------------------------------------------------------------
def rank_codes(
    X: NDArray[Real],  # (n, d)
    bins: Places,  # (d,) codes of a column at most
    codes: NDArray[np.uint32],  # (d, n) out
    low: Doubles,  # (d, n) out: least value of each code
    high: Doubles,  # (d, n) out: largest value of each code
    counts: Places,  # (d,) out
    threads: int,
) -> None: ...

# -- row_keys.cpp --------------------------------------------------------------------
def row_keys(X: NDArray[Real], seed: int, out: Keys) -> None: ...  # out: (n,)
def row_keys_csr(
    data: NDArray[Real], indices: Ints, indptr: Offsets, seed: int, out: Keys
) -> None: ...

# -- smo.cpp -------------------------------------------------------------------------
def working_set(
    f: Doubles,  # (v,)
    b: Doubles,  # (v,)
    lo: Doubles,  # (v,)
    hi: Doubles,  # (v,)
    eps: Doubles,  # (v,)
    group: NDArray[np.int8] | None,  # (v,)
    want: int,
    taken: NDArray[np.uint8],  # (v,) in and out
    chosen: Places,  # (want,) out
) -> tuple[int, float]: ...  # how many were chosen, the largest violation
def smo(
    K: NDArray[Real],  # (slots, n)
    slots: Places,  # (q,) where the rows of the working set are
    rows: Places,  # (q,) their columns
    f: Doubles,  # (q,) in and out
    lo: Doubles,  # (q,)
    hi: Doubles,  # (q,)
    eps: Doubles,  # (q,)
    group: NDArray[np.int8] | None,  # (q,)
    groups: int,
    tol: float,
    most: int,
    b: Doubles,  # (q,) start, and out
) -> tuple[int, float]: ...  # steps, the violation that is left
def cut_rows(
    K: NDArray[Real],  # (size,) changed: rows of n numbers, then of len(keep)
    n: int,
    rows: Places,  # (count,) ascending: the rows that stay
    keep: Places,  # (m,) ascending: the columns that stay
    threads: int,
) -> None: ...
def add_kernel_rows(
    K: NDArray[Real],  # (slots, n)
    slots: Places,  # (m,)
    change: Doubles,  # (m,)
    f: Doubles,  # (n,) added to
    threads: int,
    columns: Places | None = None,  # of which f is, where not of all
) -> None: ...

# -- sparse_rows.cpp -----------------------------------------------------------------
def pointers_rise(indptr: Offsets, entries: int) -> bool: ...
def indices_within(indices: Offsets, d: int, threads: int) -> bool: ...
def indices_rise(indices: Offsets, indptr: Offsets, threads: int) -> bool: ...

# -- support_losses.cpp --------------------------------------------------------------
def support_losses(
    X: NDArray[Real],  # (n, d)
    q: Doubles,  # (n,) +-1, or numbers
    C: Doubles,  # (n,)
    eps: float,  # negative for classes
    delta: float,  # of the rounded corner; 0 for squared losses
    a: Doubles | None,  # (n,) guesses of the slopes; None for 0
    coef: Doubles,  # (d,)
    b: float,
    constant: float,  # of (d + 1, d + 1) H; 0 for (d, d)
    v: Doubles,  # (d,) added to
    h: Doubles | None,  # (n,) out: each row's curvature
    H: Doubles | None,  # added to: their sum
) -> tuple[float, float, float, float, float]: ...  # as in the C++ Sums
def support_losses_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    q: Doubles,
    C: Doubles,
    eps: float,
    delta: float,
    a: Doubles | None,
    coef: Doubles,
    b: float,
    constant: float,
    v: Doubles,
    h: Doubles | None,
    H: Doubles | None,
) -> tuple[float, float, float, float, float]: ...
def support_slopes(
    X: NDArray[Real],  # (n, d)
    q: Doubles,
    C: Doubles,
    eps: float,
    delta: float,
    a: Doubles | None,
    coef: Doubles,  # (d,) where the step begins
    b: float,
    step: Doubles,  # (d,)
    step_b: float,
    lengths: Doubles,  # (J,) of the step
    slopes: Doubles,  # (J,) added to
) -> None: ...
def support_slopes_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    q: Doubles,
    C: Doubles,
    eps: float,
    delta: float,
    a: Doubles | None,
    coef: Doubles,
    b: float,
    step: Doubles,
    step_b: float,
    lengths: Doubles,
    slopes: Doubles,
) -> None: ...

# -- stochastic_gradient.cpp -----------------------------------------------------------
def sgd_epochs(
    X: NDArray[Real],  # (n, d)
    y: Doubles,  # (n,) -1 and +1, or numbers
    orders: Places,  # (E, m) rows to visit in each epoch
    o: Doubles | None,  # (n,) weight of one visit
    times: Ints | None,  # (n,) visits in a row
    plan: Doubles,  # (15,) in the order of the C++ record Plan
    w: Doubles,  # (d,) changed
    slots: Doubles,  # (15,) changed, in the order of Slot
    q: Doubles | None,  # (d,) changed: what each weight has paid of the l1 penalty
    mean: Doubles | None,  # (d,) sum of the iterates, added to
    best: Doubles | None,  # (d,) out: w of the longest run without an update
    monitor: Doubles | None,  # out: mean loss of each window
    moved: Places | None,  # out: rows of the visits that moved w
    rule: Doubles | None,  # (3,) in the order of the C++ record Rule; None: no judge
    memory: Doubles | None,  # (2,) changed: lowest cost, epochs since it fell
    costs: Doubles | None,  # (E,) out: of the epochs made
) -> tuple[int, int, float]: ...  # epochs made, verdict on the last, updates
def sgd_epochs_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    y: Doubles,
    orders: Places,
    o: Doubles | None,
    times: Ints | None,
    plan: Doubles,
    w: Doubles,
    slots: Doubles,
    q: Doubles | None,
    mean: Doubles | None,
    best: Doubles | None,
    monitor: Doubles | None,
    moved: Places | None,
    rule: Doubles | None,
    memory: Doubles | None,
    costs: Doubles | None,
) -> tuple[int, int, float]: ...
def sgd_judge(
    plan: Doubles,
    w: Doubles,
    slots: Doubles,
    rule: Doubles,
    held_out: float | None,  # mean loss of rows held out
    memory: Doubles,  # (2,) changed
) -> tuple[int, float]: ...  # verdict and cost

# -- bins.cpp --------------------------------------------------------------------------
def bin_codes(
    X: NDArray[Real],  # (n, d)
    edges: Doubles,  # (d, 256) rising, padded with infinity
    bins: Ints,  # (d,) of each feature; also the code of a missing value
    codes: Bytes,  # (d, n) out
    threads: int,
) -> None: ...
def group_codes(
    columns: Bytes,  # (d, n)
    ends: Ints,  # (n_groups,) features before the end of each
    groups: Bytes,  # (n_groups, n, 16) out
    threads: int,
) -> None: ...

# -- blended_trees.cpp -----------------------------------------------------------------
def tree_scores(
    X: NDArray[Real],  # (n, d)
    edges: Doubles,  # (d, 256)
    bins: Ints,  # (d,)
    starts: Ints,  # (trees + 1,) first node of each tree
    feature: Ints,  # (m,) -1 at a leaf
    bin: Bytes,  # (m,)
    missing_left: Bytes,  # (m,)
    left: Ints,  # (m,) counted from the root, after their parent
    right: Ints,  # (m,)
    value: Doubles,  # (m,)
    set: Ints,  # (m,) row of sets, -1 = split by bin
    sets: NDArray[np.uint32],  # (., 8)
    base: Doubles,  # (outputs,)
    out: Doubles,  # (n, outputs) out
    threads: int,
) -> None: ...
def coded_tree_scores(
    columns: Bytes,  # (d, n)
    bins: Ints,
    starts: Ints,
    feature: Ints,
    bin: Bytes,
    missing_left: Bytes,
    left: Ints,
    right: Ints,
    value: Doubles,
    set: Ints,
    sets: NDArray[np.uint32],
    base: Doubles,
    out: Doubles,
    threads: int,
) -> None: ...

# -- boosting.cpp ----------------------------------------------------------------------
def logistic_gradients(
    y: Doubles,  # (n,) 0 and 1
    f: Doubles,  # (n,) scores
    per_g: float,  # units in 1
    per_h: float,
    packed: Ints,  # (n,) out
    threads: int,
) -> None: ...
def logistic_gradients_apart(
    y: Doubles,  # (n,) 0 and 1
    f: Doubles,  # (n,) scores
    per_g: float,
    per_h: float,
    g: Ints,  # (n,) out
    h: Ints,  # (n,) out
) -> None: ...
def pack_gradients(
    g: Doubles,  # (n,)
    h: Doubles | None,  # (n,)
    per_g: float,
    per_h: float,
    packed: Ints,  # (n,) out
    apart: Ints | None,  # (n,) out: h, where it is not packed
    threads: int,
) -> None: ...

# -- exact_sums.cpp --------------------------------------------------------------------
def exact_sums(
    x: Doubles,  # (n,)
    sums: NDArray[np.int64],  # (2, 2048) added to: high and low digits by exponents
) -> None: ...

# -- histogram_tree.cpp ----------------------------------------------------------------
def grow_tree(
    columns: Bytes,  # (d, n)
    groups: Bytes,  # (n_groups, n, 16)
    group_ends: Ints,  # (n_groups,)
    g: Ints,  # (n,)
    h: Ints | None,  # (n,)
    constant: bool,  # whether every hessian is 1
    fields: tuple[float, float, int, int],  # units of g and h, places of h and g
    bins: Ints,  # (d,)
    categorical: Bytes,  # (d,)
    monotone: NDArray[np.int8] | None,  # (d,)
    feature_sets: NDArray[np.uint64] | None,  # (d, words)
    limits: tuple[int, int, float, float, float, float, int],
    seed: int,
    cells: NDArray[np.int64],  # scratch: histograms
    first: Ints,  # scratch: lists of rows
    second: Ints,
    feature: Ints,  # (2 max_leaves - 1,) out, as are the others
    bin: Bytes,
    missing_left: Bytes,
    left: Ints,
    right: Ints,
    value: Doubles,
    count: Ints,
    sets: NDArray[np.uint32],  # (., 8)
    scores: Doubles | None,  # (n,) added to
    leaf_of: Ints | None,  # (n,) out: node of each row
    threads: int,
) -> int: ...  # nodes
def sum_histograms(
    groups: Bytes,  # (n_groups, n, 16)
    group_ends: Ints,
    g: Ints,  # (n,)
    h: Ints | None,
    constant: bool,
    fields: tuple[float, float, int, int],
    rows: Ints,  # numbers of the rows that are summed
    cells: NDArray[np.int64],  # (d * 256 * width,) out
) -> None: ...
def part_rows(
    codes: Bytes,  # (n,)
    left: Bytes,  # (256,) whether a code goes left
    rows: Ints,  # changed from begin to end
    begin: int,
    end: int,
    others: Ints,  # scratch
) -> int: ...  # end of the rows that go left
def leaf_value(
    total: NDArray[np.int64],  # (width,)
    constant: bool,
    fields: tuple[float, float, int, int],
    l2: float,
) -> float: ...
def root_key(seed: int) -> int: ...
def find_split(
    cells: NDArray[np.int64],  # (cells, width)
    places: Places,  # (d,) first cell of each feature
    total: NDArray[np.int64],  # (width,)
    bounds: tuple[int, float, float, float, float, int],  # rows ... strict, key
    own_sets: Keys,  # (words,)
    constant: bool,
    fields: tuple[float, float, int, int],
    bins: Ints,  # (d,)
    categorical: Bytes,  # (d,)
    monotone: NDArray[np.int8] | None,
    feature_sets: Keys | None,  # (d, words)
    limits: tuple[int, int, float, float, float, float, int],
    table: Bytes,  # (256,) out
    set: NDArray[np.uint32],  # (8,) out
    totals: NDArray[np.int64],  # (2, width) out: of the children
    child_bounds: Doubles,  # (2, 3) out: low, high, value
    sets: Keys,  # (2, words) out
    keys: Keys,  # (2,) out
) -> tuple[float, int, int, bool, bool, float]: ...

# -- tree_predict.cpp ------------------------------------------------------------------
class TreeNodes:  # a tree as the loops read it; keeps its arrays
    def __init__(
        self,
        arrays: TreeArrays,
        value: NDArray[Any] | None,  # (nodes, k) float64, what a leaf adds
    ) -> None: ...

def tree_depths(
    feature: Ints,  # (nodes,)
    left: Ints,  # (nodes,)
    right: Ints,  # (nodes,)
    depths: Ints,  # (nodes,) out
) -> None: ...
def tree_leaves(
    X: NDArray[Real],  # (n, d)
    d: int,
    trees: list[TreeNodes],
    out: Ints,  # (n, trees) out
    threads: int,
) -> None: ...
def tree_leaves_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    d: int,
    trees: list[TreeNodes],
    out: Ints,
    threads: int,
) -> None: ...
def tree_sums(
    X: NDArray[Real],  # (n, d)
    d: int,
    trees: list[TreeNodes],
    first: Ints | None,  # (trees,) column of out that a tree's first value adds to
    out: Doubles,  # (n, K) added to
    threads: int,
) -> None: ...
def tree_sums_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    d: int,
    trees: list[TreeNodes],
    first: Ints | None,
    out: Doubles,
    threads: int,
) -> None: ...
def out_of_bag_sums(
    X: NDArray[Real],  # (n, d)
    d: int,
    trees: list[TreeNodes],
    seeds: Keys,  # of the bootstrap samples
    draws: int,
    order: Ints,  # (n,)
    cumulative: Doubles | None,  # (n,)
    out: Doubles,  # (n, k) added to
    votes: Places,  # (n,) added to: trees that a row is out of
    threads: int,
) -> None: ...
def out_of_bag_sums_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    d: int,
    trees: list[TreeNodes],
    seeds: Keys,
    draws: int,
    order: Ints,  # (n,)
    cumulative: Doubles | None,
    out: Doubles,
    votes: Places,
    threads: int,
) -> None: ...

# -- tree_shap.cpp ---------------------------------------------------------------------
def tree_shap(
    X: Doubles,  # (n, d)
    trees: list[TreeNodes],
    first: Ints,  # (trees,) output that the first column of its values adds to
    covers: list[Doubles],  # (nodes,) rows of each node
    base: Doubles,  # (K,) added to
    out: Doubles,  # (n, K d) added to
    pairs: Doubles | None,  # (n, K d d) added to, the diagonals left alone
    threads: int,
) -> None: ...

# -- stump.cpp -------------------------------------------------------------------------
def sorted_columns(
    X: NDArray[Real],  # (n, d)
    order: Ints,  # (d, n) out: rows in rising order; ~row where no cut can follow
    threads: int,
) -> None: ...
def sign_cuts(
    order: Ints,  # (d, n)
    s: Doubles,  # (n,) weights with the sign of the class
    slack: float,  # by which an earlier cut must be beaten
    low: Doubles,  # (d,) out: least sum of s up to a cut, at most 0
    at_low: Places,  # (d,) out: its place in the order; -1 before all rows
    high: Doubles,  # (d,) out: largest sum, at least 0
    at_high: Places,  # (d,) out
    threads: int,
) -> None: ...
def class_cuts(
    order: Ints,  # (d, n)
    z: Ints,  # (n,) class codes 0..k-1
    w: Doubles,  # (n,)
    k: int,
    slack: float,
    best: Doubles,  # (d,) out: largest weight of the majorities on both sides
    at: Places,  # (d,) out: place of the cut; -1 for none
    threads: int,
) -> None: ...

# -- tweedie.cpp ----------------------------------------------------------------------
def tweedie(
    X: NDArray[Real],  # (n, d)
    y: Doubles,  # (n,)
    w: Doubles | None,  # (n,)
    power: float,
    coef: Doubles,  # (d,)
    intercept: float,
    grad: Doubles,  # (d,) added to
    h: NDArray[Real] | None,  # (n,) out: weights of the Fisher information
) -> tuple[float, float, float]: ...  # loss, gradient of the intercept, Pearson's sum
def tweedie_csr(
    data: NDArray[Real],
    indices: Ints,
    indptr: Offsets,
    y: Doubles,
    w: Doubles | None,
    power: float,
    coef: Doubles,
    intercept: float,
    grad: Doubles,
    h: NDArray[Real] | None,
) -> tuple[float, float, float]: ...

# -- visit_orders.cpp ------------------------------------------------------------------
def visit_orders(
    seed: int,
    epoch: int,  # number of the first
    first_row: int,
    which: Places,  # (m,) rows to visit
    orders: Places,  # (E, m) out: in the order of each epoch
) -> None: ...
