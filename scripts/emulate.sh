#!/usr/bin/env bash
# Runs a command where the kernel starts programs for aarch64 under qemu-user:
# scripts/emulate.sh COMMAND [ARGUMENT...]
#
# In namespaces of its own, so that the machine stays as it is: since Linux 6.7
# each user namespace can have a binfmt_misc. Outside of a chroot programs find
# their libraries in the folder that QEMU_LD_PREFIX names. Needs root, and
# qemu-user-static.
set -euo pipefail

# Waits until PID is in a user namespace of its own, and gives it all users:
# unshare itself would give it one.
give_users() {
  local pid=$1 map ours theirs
  ours=$(readlink /proc/self/ns/user)
  # While it becomes another program, its link may not be read.
  until theirs=$(readlink "/proc/$pid/ns/user") && [[ $theirs != "$ours" ]]; do
    sleep 0.01
    [[ -d /proc/$pid ]]
  done
  for map in uid_map gid_map; do echo "0 0 65536" >"/proc/$pid/$map"; done
}

# shellcheck disable=SC2016  # of the inner shell
exec 3< <(give_users $$) unshare --user --mount --propagation private \
  bash -euo pipefail -c '
    # End of file: the users are there.
    cat <&3
    exec 3<&-
    mount -t binfmt_misc none /proc/sys/fs/binfmt_misc
    # C: set-user-ID programs have the rights of their owners.
    sed "s/$/C/" /usr/lib/binfmt.d/qemu-aarch64.conf \
      >/proc/sys/fs/binfmt_misc/register
    exec "$@"' emulate "$@"
