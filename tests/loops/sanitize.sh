#!/bin/sh
# Run tests of the compiled loops, and of all that calls them, under AddressSanitizer and
# UBSan:
#     sh tests/loops/sanitize.sh [python] [pytest's arguments]
# Without arguments for pytest it runs the loops' own tests on every width of vector, and
# the tests of every estimator (tests/common: odd arrays, broken sparse matrices, damaged
# model files, all weights) and of the theorems (tests/laws) on the widest.
# The sanitized package goes into build/sanitize, and is made anew where a source changed
# (all loops, some minutes); -S keeps an editable install, which would be found first,
# out of the way.
set -e
cd "$(dirname "$0")/../.."
python=${1:-python}
[ $# -gt 0 ] && shift
site=$($python -c "import sysconfig; print(sysconfig.get_path('platlib'))")
asan=$(${CXX:-c++} -print-file-name=libasan.so)
if [ ! -e "$asan" ]; then
    echo "sanitize: the compiler ${CXX:-c++} must come with libasan.so; found none."
    exit 77
fi
stdcxx=$(${CXX:-c++} -print-file-name=libstdc++.so)  # whose throw libasan looks for
built=build/sanitize/built
if [ ! -e $built ] || [ -n "$(find src pyproject.toml CMakeLists.txt -newer $built \
    -not -path '*/__pycache__*' -type f -print -quit)" ]; then
    mkdir -p build && touch build/sanitize.begun
    $python -m pip install . --quiet --no-deps --upgrade \
        --target build/sanitize/site \
        -C cmake.define.COROLLARY_SANITIZE=ON -C build-dir=build/sanitize/cmake
    mv build/sanitize.begun $built
fi

# A fault ends the run with status 86.  Not run: Dask's clusters and files read by
# pyarrow's threads, which start processes and allocate in libraries that the sanitizer
# does not know; scikit-learn's checks, which take half an hour and call no other loop;
# tests of how soon a signal is answered and of how much memory a fit takes, for all is
# slower and larger here.
runs() {
    [ -e "$(echo build/sanitize/site/corollary/loops/$1.*)" ] || return 1
    [ $1 != x86_64_v4 ] || grep -q avx512vl /proc/cpuinfo
}
run() {
    target=$1
    shift
    runs $target || return 0
    LD_PRELOAD="$asan $stdcxx" COROLLARY_LOOPS=$target \
        ASAN_OPTIONS=detect_leaks=0:allocator_may_return_null=1:exitcode=86 \
        UBSAN_OPTIONS=print_stacktrace=1 \
        PYTHONPATH="build/sanitize/site:tests:$site" \
        $python -S -m pytest -q -p no:cacheprovider --import-mode=importlib \
        --ignore=tests/common/test_sklearn_checks.py --ignore=tests/common/test_sources.py \
        --ignore=tests/loops/test_sanitize.py --ignore=tests/common/test_memory_limit.py \
        -k "not at_once and not ends_soon" \
        "$@"
}

widest=baseline
for target in x86_64_v3 x86_64_v4; do
    if runs $target; then widest=$target; fi
done
if [ $# -gt 0 ]; then
    run $widest "$@"
    exit
fi
run baseline tests/loops
run x86_64_v3 tests/loops
run x86_64_v4 tests/loops
run $widest -m "not slow" tests/common tests/laws tests/linear/online
run $widest tests/common/test_odd_arrays.py  # all of it: 10,000 odd arrays
