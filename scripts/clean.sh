#!/usr/bin/env bash
# `make clean`: removes what was built or installed in the checkout, environments and tools included.
set -euo pipefail
cd "$(dirname "$0")/.."
rm -rf target fuzz/target dist .venv .envs .tools .pytest_cache .ruff_cache .hypothesis
find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
