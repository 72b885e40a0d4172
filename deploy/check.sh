#!/usr/bin/env bash
# Every test: release build with the simulator and the system tests, the sanitizer build, the fuzzers,
# the style. `--quick`: the release build only. Needs nothing but this checkout and Debian 12.
set -euo pipefail
cd "$(dirname "$0")/.."
source deploy/lib.sh

quick=no fuzz_s=5
while [ $# -gt 0 ]; do
  case $1 in
    --quick) quick=yes ;;
    --fuzz-seconds) fuzz_s=${2:?seconds}; shift ;;
    -h|--help) sed -n 2,3p "$0" | cut -c3-; echo "options: --quick, --fuzz-seconds N"; exit 0 ;;
    *) echo "check.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift
done

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

  build fuzz
  say "fuzzers, $fuzz_s s each"
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
fi

say "all checks passed"
