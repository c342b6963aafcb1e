#!/usr/bin/env bash
# The checks that need no build: format, layers, names of types, lengths of
# functions, links of the documentation, headers, the page, scripts, Python,
# spelling, subjects of commits. Runs them all, lists those that failed, and
# fails if any did: scripts/lint.sh
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.." || exit 1

failed=()

# check NAME COMMAND...
check() {
  local name=$1
  shift
  if "$@"; then
    echo "lint: $name: ok"
  else
    echo "lint: $name: FAILED" >&2
    failed+=("$name")
  fi
}

# need COMMAND: fails, and says that a check is skipped, without COMMAND.
need() {
  command -v "$1" >/dev/null && return
  echo "lint: $1 is not installed: its check is SKIPPED" >&2
  return 1
}

check_format() {
  need clang-format-14 || return 0
  local ugly
  ugly=$(git ls-files -z -- {src,tests,bench,tools,examples}/'*.'{h,cc,cu} |
    xargs -0 -r clang-format-14 --dry-run 2>&1 |
    sed -n 's/^\([^:]*\):[0-9]*:[0-9]*: warning:.*/\1/p' | sort -u)
  [[ -n $ugly ]] || return 0
  echo "lint: run clang-format-14 -i on:" >&2
  echo "$ugly" >&2
  return 1
}

# Every header compiles alone, so it includes all that it uses. Some headers of
# the injection library need CUDA's headers, which not every machine has.
check_header() {
  local flags=(-std=c++20 -fsyntax-only -Wall -Wextra -Isrc -I.)
  local cuda=${CUDA_HOME:-/usr/local/cuda}/include
  if [[ -d $cuda ]]; then
    flags+=(-isystem "$cuda")
  elif grep -qE '#include <(cuda|cupti|nvtx)' "$1"; then
    return 0
  fi
  echo "#include \"${1#src/}\"" | "${CXX:-g++}" "${flags[@]}" -x c++ - ||
    { echo "lint: $1 does not compile alone" >&2; return 1; }
}
export -f check_header

check_headers() {
  git ls-files -z -- 'src/*.h' |
    xargs -0 -r -I {} -P "$(nproc)" bash -c 'check_header {}'
}

check_scripts() {
  need shellcheck || return 0
  # A sourced script sets variables for its user, and may have set -e.
  git ls-files -z -- '*.sh' .ci/run |
    xargs -0 shellcheck -s bash -x -S warning -e SC2034,SC2154,SC2164 || return
  # Users run these with names of their own: all checks, but for braces around
  # every name of a variable (SC2250), which prevent no error.
  git ls-files -z -- 'examples/*.sh' |
    xargs -0 shellcheck -s bash -x -S style -o all -e SC2250
}

# Names that are not used or not there; the types of the package in python/.
check_python() {
  local status=0
  if need pyflakes3; then
    git ls-files -z -- {python,tools,tests,examples}/'*.py' |
      xargs -0 -r pyflakes3 || status=1
  fi
  if need mypy; then
    (cd python && mypy --no-error-summary) || status=1
  fi
  return "$status"
}

# Identifiers (kOwn, HasTable) are not words.
check_spelling() {
  need codespell || return 0
  git ls-files -z -- '*.md' '*.h' '*.cc' '*.cu' '*.py' '*.sh' '*.ts' '*.yaml' |
    xargs -0 codespell --ignore-words .codespell-ignore \
      --ignore-regex '\b\w*[a-z][A-Z]\w*\b'
}

# Subjects of commits after this one have at most 72 characters.
subjects_since=7a8fad3c4a6938e06294fb5700c30f35adb778ba
check_subjects() {
  # CI checks out one commit.
  if [[ $(git rev-parse --is-shallow-repository) == true ]]; then
    git fetch --quiet --unshallow
  fi
  if ! git cat-file -e "$subjects_since^{commit}" 2>/dev/null; then
    echo "lint: history lacks commit $subjects_since:" \
      "the check of commit subjects is SKIPPED" >&2
    return 0
  fi
  local long
  long=$(git log --no-merges --format='%h %s' "$subjects_since..HEAD" |
    awk '{ subject = substr($0, index($0, " ") + 1) }
      length(subject) > 72 { print }')
  [[ -n $long ]] || return 0
  echo "lint: subjects of more than 72 characters:" >&2
  echo "$long" >&2
  return 1
}

# The page: types, lint, lengths of functions and circles of imports
# (web/biome.json). Needs npm's registry once, for the packages of web/.
check_web() {
  need npm || return 0
  if [[ ! web/node_modules/.package-lock.json -nt web/package-lock.json ]] &&
    ! npm --prefix web ci --silent --no-audit --no-fund; then
    echo "lint: npm cannot fetch web's packages: its check is LEFT OUT" >&2
    return 0
  fi
  npm --prefix web run --silent check
}

check format check_format
check layers python3 tools/check_layers.py
check names python3 tools/check_type_names.py
check functions python3 tools/check_functions.py
check docs python3 tools/check_docs.py --links
check headers check_headers
check web check_web
check scripts check_scripts
check python check_python
check spelling check_spelling
check subjects check_subjects

if ((${#failed[@]})); then
  echo "lint: failed: ${failed[*]}" >&2
  exit 1
fi
