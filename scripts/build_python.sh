#!/usr/bin/env bash
# Builds a CPython 3.14 that no distribution packages, and prints its path:
#
#     build_python.sh 3.14t     free-threaded             3.14d     pydebug
#                     3.14td    free-threaded, pydebug    3.14      neither
#                     3.14t-tsan    free-threaded, under ThreadSanitizer; test_long.py asks for it
#
# It is installed into ~/.cache/pythons/NAME, where pythons.py finds it; an interpreter that is there already is only
# named. Several names are built at the same time. The source is Debian's tarball, or PYTHON_TARBALL. What is missing to
# compile it is installed with apt-get, if that is possible. About five minutes on two idle cores; ~/.cache/pythons/NAME.log.
set -euo pipefail

# 3.14.5 went back to the generational collector; 3.14.0 to 3.14.4 have the incremental one.
version=3.14.7
sha256=3b48dac8fb59f62eaa67ac83c1eb12bda1b7a08406dd286e252c11a66be27f81
cache=${XDG_CACHE_HOME:-$HOME/.cache}/pythons
tarball=${PYTHON_TARBALL:-$cache/python3.14_$version.orig.tar.xz}
needed=(build-essential pkg-config libssl-dev zlib1g-dev libbz2-dev liblzma-dev libffi-dev libsqlite3-dev libreadline-dev
  uuid-dev libexpat1-dev curl xz-utils)

fail() { echo "build_python: $*" >&2; exit 1; }

# What is built to be watched is where pythons.py does not find it: it is not for what is tested on every interpreter.
prefix_of() { if [[ $1 == *-tsan ]]; then echo "$cache/watched/$1"; else echo "$cache/$1"; fi; }
# What is after a hyphen is no part of the executable's name.
python_of() { echo "$(prefix_of "$1")/bin/python${1%%-*}"; }

# The newest clang, 17 at least: older ones' runtime has no __tsan_memcpy.
clang() {
  local name
  for name in clang-{25..17} clang; do
    if command -v "$name" >/dev/null; then echo "$name"; return; fi
  done
  fail "no clang for ThreadSanitizer (Debian: apt-get install clang-19 libclang-rt-19-dev llvm-19)"
}

# The options of configure for a name, one on each line.
options() {
  case $1 in
    3.14)   echo 'CFLAGS=-O2 -g0' ;;
    3.14t)  printf '%s\n' --disable-gil 'CFLAGS=-O2 -g0' ;;
    3.14d)  printf '%s\n' --with-pydebug 'CFLAGS=-O2 -g1' ;;
    3.14td) printf '%s\n' --disable-gil --with-pydebug 'CFLAGS=-Og -g1' ;;
    # Clang, because the modules call what rustc's LLVM calls of its runtime, which gcc's lacks in part.
    3.14t-tsan) printf '%s\n' --disable-gil --with-thread-sanitizer "CC=$(clang)" 'CFLAGS=-O1 -g1' ;;
    *) fail "no recipe for '$1'; there are 3.14, 3.14t, 3.14d, 3.14td and 3.14t-tsan" ;;
  esac
}

install_needed() {
  if ! command -v apt-get >/dev/null || dpkg -s "${needed[@]}" >/dev/null 2>&1; then return; fi
  if [[ $(id -u) != 0 ]]; then echo "not root: trying without all of ${needed[*]}"; return; fi
  export DEBIAN_FRONTEND=noninteractive
  apt-get update
  apt-get install -y --no-install-recommends "${needed[@]}"
}

is_intact() { echo "$sha256  $tarball" | sha256sum -c --status 2>/dev/null; }

get_source() {
  if is_intact; then return; fi
  if [[ -n ${PYTHON_TARBALL:-} ]]; then fail "$tarball is not the source of CPython $version"; fi
  local mirror
  for mirror in $(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | sort -u); do
    if curl -fsSL --retry 3 -o "$tarball" "${mirror}pool/main/p/python3.14/python3.14_$version.orig.tar.xz"; then break; fi
  done
  is_intact || fail "no source of CPython $version to be had: download it, and set PYTHON_TARBALL"
}

# Compiles and installs $1, using the folder $2. What is interrupted leaves no interpreter behind.
build() {
  local name=$1 work=$2 prefix chosen
  prefix=$(prefix_of "$name")
  mapfile -t chosen < <(options "$name")
  mkdir -p "$work/source"
  tar -xf "$tarball" -C "$work/source" --strip-components=1
  cd "$work/source"
  ./configure -q --prefix="$prefix" --with-ensurepip=install --without-static-libpython --disable-test-modules "${chosen[@]}"
  make -j"$(nproc)"
  # Packages of the standard library are compiled when they are first imported: half a minute for all of them.
  make altinstall DESTDIR="$work/installed" COMPILEALL_OPTS="-q -j0 -l"
  # CPython's own races, for whoever watches modules of others.
  if [[ $name == *-tsan ]]; then cp Tools/tsan/suppressions_free_threading.txt "$work/installed$prefix/suppressions.txt"; fi
  rm -rf "$prefix"
  mkdir -p "$(dirname "$prefix")"
  mv "$work/installed$prefix" "$prefix"
}

main() {
  (($#)) || fail "usage: build_python.sh 3.14|3.14t|3.14d|3.14td..."
  local name missing=() builds=() failed=()
  for name; do
    options "$name" >/dev/null
    if [[ ! -x $(python_of "$name") ]]; then missing+=("$name"); fi
  done
  if ((${#missing[@]})); then
    mkdir -p "$cache"
    (install_needed && get_source) >"$cache/source.log" || { tail -n 5 "$cache/source.log" >&2; exit 1; }
    work=$(mktemp -d)
    trap 'rm -rf "$work"' EXIT
    for name in "${missing[@]}"; do
      (build "$name" "$work/$name") >"$cache/$name.log" 2>&1 &
      builds+=($!)
    done
    for i in "${!builds[@]}"; do wait "${builds[i]}" || failed+=("${missing[i]}"); done
    for name in "${failed[@]}"; do
      echo "build_python: $name failed, see $cache/$name.log" >&2
      tail -n 5 "$cache/$name.log" >&2
    done
    ((${#failed[@]} == 0)) || exit 1
  fi
  for name; do python_of "$name"; done
}

main "$@"
