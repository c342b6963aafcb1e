# An empty Debian in a folder, made by debootstrap from where this machine's apt
# gets its packages. To be sourced:
#
#   . scripts/debian_root.sh
#   why=$(why_no_debian_root)        # empty where one can be made
#   make_debian_root ROOT [SUITE [amd64|arm64]]    # says why where that fails
#   in_debian_root ROOT COMMAND [ARGUMENT...]
#
# A root for arm64 works by scripts/emulate.sh.

# "URI RELEASE COMPONENT" of each index of Debian 12 that apt has.
debian_indexes() {
  apt-get indextargets --format '$(CODENAME) $(REPO_URI) $(RELEASE) $(COMPONENT)' \
    'Created-By: Packages' 2>/dev/null |
    sed -n 's/^bookworm[a-z-]* //p' | sort -u
}

debian_mirror() {
  debian_indexes | awk '$2 == "bookworm" { print $1; exit }'
}

# Why no root can be made here; nothing where one can.
why_no_debian_root() {
  if ((EUID != 0)); then
    echo "a chroot takes root: run $0 as root"
  elif ! unshare --mount --pid --fork true 2>/dev/null; then
    echo "no mount namespace may be made here: run it outside of a container," \
      "or in one with CAP_SYS_ADMIN"
  elif ! command -v debootstrap >/dev/null; then
    echo "no debootstrap: apt-get install debootstrap"
  elif [[ -z $(debian_mirror) ]]; then
    echo "apt has no Debian 12 (bookworm) here: run it on Debian 12"
  fi
}

# make_debian_root ROOT [SUITE [amd64|arm64]]: what `--variant=minbase` has and
# nothing else, with this machine's sources of Debian 12 for apt, or the main one
# of another SUITE.
make_debian_root() {
  local root=$1 suite=${2:-bookworm} arch=${3:-$(dpkg --print-architecture)}
  local log key mirror foreign=()
  mirror=$(debian_mirror)
  [[ $arch == "$(dpkg --print-architecture)" ]] || foreign=(--foreign)
  log=$(mktemp "${TMPDIR:-/tmp}/rangefinder-debootstrap.XXXXXX")
  # In a namespace too: debootstrap mounts, and may be interrupted.
  if ! unshare --mount --propagation private debootstrap --variant=minbase \
    "${foreign[@]}" --arch="$arch" "$suite" "$root" "$mirror" >"$log" 2>&1 ||
    # For debootstrap, `lxc` is a container in which it makes no devices.
    ! { [[ -z ${foreign[*]} ]] || in_debian_root "$root" env container=lxc \
      /debootstrap/debootstrap --second-stage; } >>"$log" 2>&1; then
    echo "debootstrap failed, see $log: is there a network?" >&2
    return 1
  fi
  rm -f "$log"
  chmod 755 "$root"  # mktemp gives it 700: only root could enter
  if [[ $suite == bookworm ]]; then
    debian_indexes
  else
    echo "$mirror $suite main"
  fi | sed 's/^/deb /' >"$root/etc/apt/sources.list"
  for key in Acquire::{http::Proxy,https::Proxy,Check-Valid-Until,Check-Date}; do
    apt-config dump --no-empty --format '%f "%v";%n' "$key"
  done >"$root/etc/apt/apt.conf.d/99machine"
}

# in_debian_root ROOT COMMAND [ARGUMENT...]: with standard input passed on, in
# namespaces of its own: no mount and no process outlives it. The C library's
# locale and nothing else of this environment.
in_debian_root() {
  local root=$1 emulate=()
  shift
  case $(readelf -h "$root/bin/bash") in
    *AArch64*) emulate=("$(dirname "${BASH_SOURCE[0]}")/emulate.sh") ;;
  esac
  "${emulate[@]}" unshare --mount --pid --fork --kill-child --propagation private \
    bash -c '
      root=$1
      shift
      mount -t proc proc "$root/proc" ||
        echo "no /proc in $root: going on without" >&2
      mkdir -p "$root/dev/pts"
      mount -t devpts -o newinstance,ptmxmode=0666,mode=0620,gid=5 devpts \
        "$root/dev/pts" || echo "no /dev/pts in $root: going on without" >&2
      exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
        chroot "$root" "$@"' in_debian_root "$root" "$@"
}
