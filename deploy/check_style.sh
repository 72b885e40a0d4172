#!/usr/bin/env bash
# Format, includes, file length, a README in each folder. Prints every fault; exit 1 when there is one.
set -euo pipefail
cd "$(dirname "$0")/.."
faults=0
fault() { echo "style: $*" >&2; faults=$((faults + 1)); }

mapfile -t sources < <(git ls-files '*.h' '*.cpp')
unformatted=$(clang-format-14 --dry-run "${sources[@]}" 2>&1 | sed -n 's/^\(.*\):[0-9]*:[0-9]*: warning.*/\1/p' | sort -u)
[ -z "$unformatted" ] || fault "not formatted (clang-format-14 -i): $(echo "$unformatted" | tr '\n' ' ')"

for file in "${sources[@]}"; do
  lines=$(wc -l <"$file")
  [ "$lines" -le 700 ] || fault "$file has $lines lines: split it"
done
bad=$(grep -nE '^#include "[^"/]+"' "${sources[@]}" || true)
[ -z "$bad" ] || fault "includes are written \"folder/file.h\": $bad"
for dir in crypto crypto/vault crypto/keyring store store/meaning store/secrets election sync daemon daemon/manager daemon/manager/model tests deploy; do
  [ -f "$dir/README.md" ] || fault "$dir has no README.md"
done
# Dependencies point one way only.
check_deps() {  # folder, pattern of what it must not include
  local hits
  hits=$(git ls-files "$1/*.h" "$1/*.cpp" | xargs -r grep -nE "^#include \"($2)/" || true)
  [ -z "$hits" ] || fault "$1 must not include that: $hits"
}
check_deps crypto 'store|election|sync|daemon|tests'
check_deps store 'election|sync|daemon|tests'
check_deps election 'crypto|store|sync|daemon|tests'
check_deps sync 'daemon|tests'
check_deps daemon 'tests'

[ $faults -eq 0 ] || exit 1
echo "style: ${#sources[@]} files, no fault"
