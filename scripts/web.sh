#!/usr/bin/env bash
# Checks and builds the viewers of reports and comparisons into web/dist, which
# is committed: only who changes web/ needs node. scripts/web.sh
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../web"

if ! command -v npm >/dev/null; then
  echo "web: npm was not found: install node 20 or newer" >&2
  exit 1
fi
npm ci
npm run check
npm test
npm run build
