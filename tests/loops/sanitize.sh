#!/bin/sh
# Run the tests of the compiled loops under AddressSanitizer and UBSan:
#     sh tests/loops/sanitize.sh [python]
# The sanitized package goes into build/sanitize; -S keeps an editable install, which
# would be found first, out of the way.
set -e
cd "$(dirname "$0")/../.."
python=${1:-python}
site=$($python -c "import sysconfig; print(sysconfig.get_path('platlib'))")
$python -m pip install . --quiet --no-deps --upgrade \
    --target build/sanitize/site \
    -C cmake.define.COROLLARY_SANITIZE=ON -C build-dir=build/sanitize/cmake
for target in baseline x86_64_v3; do
    [ -e "$(echo build/sanitize/site/corollary/loops/$target.*)" ] || continue
    LD_PRELOAD="$(${CXX:-c++} -print-file-name=libasan.so)" \
        ASAN_OPTIONS=detect_leaks=0 UBSAN_OPTIONS=print_stacktrace=1 \
        COROLLARY_LOOPS=$target \
        PYTHONPATH="build/sanitize/site:tests:$site" \
        $python -S -m pytest -q -p no:cacheprovider --import-mode=importlib tests/loops
done
