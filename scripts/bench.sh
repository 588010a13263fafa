#!/usr/bin/env bash
# `make bench`: hands over to benches/run, which compares with peers and prints the table of ratios.
set -euo pipefail
cd "$(dirname "$0")/.."
if [[ -x benches/run ]]; then exec benches/run "$@"; fi
if [[ -f benches/run.py ]]; then exec scripts/py benches/run.py "$@"; fi
echo "bench: there is neither benches/run nor benches/run.py" >&2
exit 1
