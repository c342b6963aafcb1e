#!/bin/bash
. "$(dirname "$0")/common.sh"

echo typed | profile -- cat > out
has out typed
