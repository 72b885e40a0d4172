#!/usr/bin/env bash
# Style, the release build with unit, property and system tests, and the sanitizers on what is named
# below. `--quick`: the release build only. `--full`: every test under the sanitizers, and the fuzzers.
# Needs nothing but this checkout and Debian 12.
set -euo pipefail
cd "$(dirname "$0")/.."
source deploy/lib.sh

# Under the sanitizers without --full: what has been shown to be clean there as a whole.
sanitized=(crypto_test election_test)

quick=no full=no fuzz_s=5
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --full) full=yes ;;
    --fuzz-seconds) fuzz_s=${2:?seconds}; shift ;;
    -h|--help) sed -n 2,4p "$0" | cut -c3-; echo "options: --quick, --full, --fuzz-seconds N"; exit 0 ;;
    *) echo "check.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift
done

run_fuzzers() {
  local target name corpus found
  for target in build/fuzz/bin/*_fuzz; do
    name=$(basename "$target")
    corpus=tests/fuzz/corpus/${name%_fuzz}
    found=build/fuzz/found/$name
    mkdir -p "$found"
    [ -d "$corpus" ] || die "$name has no corpus in $corpus"
    "$target" -max_total_time="$fuzz_s" -timeout=10 -rss_limit_mb=2048 -artifact_prefix="$found/" \
      -print_final_stats=1 "$found" "$corpus" >"$found.log" 2>&1 ||
      { tail -n 40 "$found.log"; die "$name found a failing input: see $found"; }
    printf '%-24s %s runs\n' "$name" "$(sed -n 's/^stat::number_of_executed_units: *//p' "$found.log")"
  done
}

install_missing

say "style"
deploy/check_style.sh

build release
say "tests with known open faults: printed, not counted (README.md, Not there yet)"
ctest --preset release -L open -R simulation_seeds ||
  echo "The simulator still finds faults; each line above replays one."

say "tests, release"
ctest --preset release --timeout 600 -LE open

if [ $full = yes ]; then
  build asan
  say "tests, address and undefined-behaviour sanitizers"
  ctest --preset asan --timeout 900 -LE open
  build fuzz
  say "fuzzers, $fuzz_s s each"
  run_fuzzers
elif [ $quick = no ]; then
  build asan "${sanitized[@]}"
  for program in "${sanitized[@]}"; do
    say "$program, address and undefined-behaviour sanitizers"
    build/asan/bin/"$program" --gtest_brief=1
  done
fi

say "all checks passed"
