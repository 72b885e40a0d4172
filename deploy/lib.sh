# Shared by try.sh, check.sh and with_model.sh: installs what is missing, builds a preset. Sourced, not run.

kartei_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
kartei_jobs=${KARTEI_JOBS:-$(nproc)}

say() { printf '\n== %s (%s s)\n' "$*" "$SECONDS"; }
die() { printf '%s\n' "$*" >&2; exit 1; }

# install_missing [PACKAGE...]: what is not there yet of packages.txt and of these; with sudo where not root.
install_missing() {
  local wanted missing=() package
  command -v dpkg-query >/dev/null || die "This script needs a Debian 12 (or alike) with apt-get."
  wanted=$(grep -v '^#' "$kartei_root/deploy/packages.txt")
  for package in $wanted "$@"; do
    dpkg-query -W -f '${db:Status-Abbrev}' "$package" 2>/dev/null | grep -q '^ii' || missing+=("$package")
  done
  [ ${#missing[@]} -eq 0 ] && return 0
  say "installing ${#missing[@]} packages: ${missing[*]}"
  local as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  "${as_root[@]}" apt-get update -q >/dev/null
  DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -q --no-install-recommends \
    "${missing[@]}" >/dev/null || die "apt-get could not install: ${missing[*]}"
}

# build PRESET [TARGET...]
build() {
  local preset=$1; shift
  say "building $preset"
  (cd "$kartei_root" && cmake --preset "$preset" >/dev/null) || die "cmake --preset $preset failed"
  (cd "$kartei_root" && cmake --build --preset "$preset" -j "$kartei_jobs" ${1:+--target "$@"}) |
    tail -n 3 || die "the build of $preset failed"
}
