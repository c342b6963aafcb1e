#!/usr/bin/env bash
# --version names the commit; so does a build of an archive, and one without
# either says that it does not know.
. "$(dirname "$0")/common.sh"

"$rangefinder" --version > "$t/out"
grep -Eqx 'rangefinder 0\.[0-9]+\.[0-9]+ \((commit [0-9a-f]{12,}(-dirty)?|unknown commit)\)' "$t/out"

command -v cmake > /dev/null || skip "NO BUILD'S VERSION IS TESTED: no cmake here"

# said FOLDER: prints the version of a build of it.
said() {
  cmake -DVERSION=1.2.3 -DSOURCE="$1" -DOUTPUT="$t/version.cc" \
    -P "$source_dir/cmake/Version.cmake"
  grep -o '"1[^"]*"' "$t/version.cc"
}

mkdir -p "$t/archive/src/app"
# As git archive writes it, and as it stands in the repository.
echo 0123456789abcdef0123456789abcdef01234567 > "$t/archive/src/app/commit.txt"
[ "$(said "$t/archive")" = '"1.2.3 (commit 0123456789ab)"' ]
cp "$source_dir/src/app/commit.txt" "$t/archive/src/app/"
if grep -q Format "$source_dir/src/app/commit.txt"; then
  [ "$(said "$t/archive")" = '"1.2.3 (unknown commit)"' ]
fi

# Without git, or where git cannot read, the commit is unknown.
echo "gitdir: $t/nowhere" > "$t/archive/.git"
[ "$(said "$t/archive")" = '"1.2.3 (unknown commit)"' ]
rm "$t/archive/.git"

command -v git > /dev/null || skip "no git: no commit is said"
cd "$t/archive"
git init -q
git add .
git -c user.name=t -c user.email=t@t -c commit.gpgsign=false commit -qm one
commit=$(git rev-parse HEAD | cut -c 1-12)
git tag v9
[ "$(said "$t/archive")" = "\"1.2.3 (commit $commit)\"" ]
echo more >> src/app/commit.txt
[ "$(said "$t/archive")" = "\"1.2.3 (commit $commit-dirty)\"" ]

# Nothing is written again that says the same, so nothing is compiled again.
touch -d '2001-01-01' "$t/version.cc"
said "$t/archive" > "$t/out"
[ "$(stat -c %Y "$t/version.cc")" -lt 1000000000 ]

# The repository around an unpacked archive is not its own.
mkdir -p inner/src/app
echo '$Format:%H$' > inner/src/app/commit.txt
[ "$(said "$t/archive/inner")" = '"1.2.3 (unknown commit)"' ]
