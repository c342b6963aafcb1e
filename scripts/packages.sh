# The system packages that building and testing need, for Debian 12 and Ubuntu
# 24.04. To be sourced:
#
#   . scripts/packages.sh
#   install_packages build test      # what is missing of these groups
#
# Nothing is asked and nothing is fetched but by apt-get. A machine that has all
# of it needs neither rights nor a network; RANGEFINDER_NO_INSTALL=1 turns the
# whole step off.

packages_build=(g++ cmake ninja-build pkg-config python3 libfmt-dev
  libcli11-dev libyaml-dev nlohmann-json3-dev libre2-dev
  libsqlite3-dev libzstd-dev zlib1g-dev libdeflate-dev libprotozero-dev
  libeigen3-dev libboost-dev)
# The oldest C library that a release runs with, that of Debian 11.
glibc_floor=2.31
# The packages that the portable build links, of Debian 11 and of Debian 12;
# scripts/sysroot.sh unpacks them. libgcc-s1 is for tests alone: cancelled threads
# load it.
packages_floor=(libc6 libc6-dev linux-libc-dev libgcc-10-dev libgcc-s1)
packages_linked=(libfmt-dev libcli11-dev libyaml-dev nlohmann-json3-dev libre2-dev
  libsqlite3-dev libzstd-dev zlib1g-dev libdeflate-dev libprotozero-dev
  libeigen3-dev libboost1.74-dev libgtest-dev libgmock-dev)
packages_wheel=(python3-build python3-setuptools python3-wheel python3-venv)
packages_test=(libgtest-dev libgmock-dev python3-jsonschema
  python3-distributed zstd git
  # of the Python package
  python3-pandas python3-matplotlib python3-ipykernel jupyter-nbconvert
  "${packages_wheel[@]}")
# Its package starts a server, where something starts services.
[[ -d /run/systemd/system ]] || packages_test+=(prometheus)
packages_release=(debootstrap)
packages_aarch64=(g++-aarch64-linux-gnu qemu-user-static)
packages_bench=(libbenchmark-dev)
packages_lint=(clang-format-14 shellcheck codespell pyflakes3 mypy)
packages_clang=(clang-16 libclang-rt-16-dev)

_is_installed() {
  [[ $(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null) == installed ]]
}

# Says what to do by hand, and fails.
_cannot_install() {
  local why=$1
  shift
  {
    echo "rangefinder: packages are missing and $why"
    echo "  missing: $*"
    echo "  as root: apt-get update && apt-get install -y $*"
    echo "  (RANGEFINDER_NO_INSTALL=1 skips this step)"
  } >&2
  return 1
}

# install_packages GROUP...
install_packages() {
  [[ -z ${RANGEFINDER_NO_INSTALL:-} ]] || return 0
  local group list package missing=() as_root=()
  if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
    echo "rangefinder: no apt-get here: taking it that the libraries which" \
      "CONTRIBUTING.md lists are installed" >&2
    return 0
  fi
  for group in "$@"; do
    list="packages_${group}[@]"
    for package in "${!list}"; do
      _is_installed "$package" || missing+=("$package")
    done
  done
  ((${#missing[@]})) || return 0

  if ((EUID != 0)); then
    if ! command -v sudo >/dev/null; then
      _cannot_install "this user may not install them (there is no sudo)" \
        "${missing[@]}"
      return
    fi
    if ! sudo -n true 2>/dev/null; then
      _cannot_install "sudo would ask for a password" "${missing[@]}"
      return
    fi
    as_root=(sudo -n)
  fi
  echo "rangefinder: installing ${missing[*]}" >&2
  # Another apt-get may be at work: wait for it rather than fail.
  as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -qq -o
    DPkg::Lock::Timeout=300)
  if ! "${as_root[@]}" update >&2 ||
    ! "${as_root[@]}" install -y --no-install-recommends "${missing[@]}" >&2; then
    _cannot_install "apt-get could not install them (see above)" "${missing[@]}"
  fi
}
