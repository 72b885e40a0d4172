#!/usr/bin/env bash
# Style; the release build with unit, property, simulation and system tests; the same tests under the
# address and undefined-behaviour sanitizers; the fuzzers. `--quick`: style and release only.
# `--with-model`: besides, the secretary with a real model (with_model.sh), which is built once.
# Needs nothing but this checkout and Debian 12; a network for that model.
set -euo pipefail
cd "$(dirname "$0")/.."
source deploy/lib.sh

quick=no fuzz_s=5 with_model=no
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --with-model) with_model=yes ;;
    --fuzz-seconds) fuzz_s=${2:?seconds}; shift ;;
    -h|--help) sed -n 2,5p "$0" | cut -c3-; echo "options: --quick, --with-model, --fuzz-seconds N"; exit 0 ;;
    *) echo "check.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift
done

# One fuzzer from its committed corpus; what it found lies in build/asan/found.
run_fuzzer() {
  local name=$1 corpus=tests/fuzz/corpus/${1%_fuzz} found=build/asan/found/$1
  mkdir -p "$found"
  [ -d "$corpus" ] || die "$name has no corpus in $corpus"
  build/asan/bin/"$name" -max_total_time="$fuzz_s" -timeout=10 -rss_limit_mb=2048 \
    -artifact_prefix="$found/" -print_final_stats=1 "$found" "$corpus" >"$found.log" 2>&1 ||
    { tail -n 40 "$found.log"; die "$name found a failing input: see $found"; }
  printf '%-24s %s runs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")"
}

run_fuzzers() {
  export fuzz_s
  export -f run_fuzzer die
  (cd build/asan/bin && ls -- *_fuzz) | xargs -P "$kartei_jobs" -I{} bash -c 'run_fuzzer {}'
}

install_missing

say "style"
deploy/check_style.sh

build release
say "tests, release"
ctest --preset release --timeout 600

if [ $quick = no ]; then
  build asan
  say "tests, address and undefined-behaviour sanitizers"
  ctest --preset asan --timeout 900
  say "fuzzers, $fuzz_s s each"
  run_fuzzers
fi

[ $with_model = no ] || deploy/with_model.sh

say "all checks passed"
