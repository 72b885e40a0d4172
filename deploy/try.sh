#!/usr/bin/env bash
# Builds Kartei and shows its main job: three devices on this machine share one box, answer questions
# about it also offline, and lose nothing when the primary is killed. Exit status 0 only if every claim
# that it prints was checked. `--keep` leaves the three devices up; other options go to try.py.
set -euo pipefail
cd "$(dirname "$0")/.."
source deploy/lib.sh
case " $* " in *" -h "*|*" --help "*) exec python3 deploy/try.py --help ;; esac
install_missing
build release karteid kartei
exec python3 deploy/try.py --bin build/release/bin "$@"
