# Shared by the scripts of tests/gpu. Sourced, not run.
#
# Where something is missing that they need, they say so and end with 77.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../../.." && pwd)
here=$root/tests/gpu
PATH=$PATH:/usr/local/cuda/bin

# The counters whose estimates are held against ncu and against exact counts.
six=sm__inst_executed.sum,dram__bytes_read.sum,dram__bytes_write.sum
six+=,sm__cycles_active.avg,lts__t_sectors.sum,sm__pipe_tensor_cycles_active.avg

skip() { echo "SKIPPED: $*"; exit 77; }

failed=0
# ok STATUS TEXT: says whether something is as it should be.
ok() {
  if [[ $1 = 0 ]]; then echo "ok   $2"; else echo "FAIL $2"; failed=1; fi
}

# need TOOL...: those, and a GPU.
need() {
  local tool
  for tool in nvidia-smi "$@"; do
    command -v "$tool" > /dev/null || skip "no $tool"
  done
  need_gpu
}

# has_torch [MODULE]: PyTorch with CUDA, and a module of Python.
has_torch() {
  python3 -c "import torch${1:+, $1}; torch.zeros(1).cuda()" 2> /dev/null
}

need_torch() { has_torch "$@" || skip "no PyTorch with CUDA${1:+ and $1}"; }

# need_nccl GPUS: as many GPUs of this host, and PyTorch with NCCL for them.
need_nccl() {
  (($(nvidia-smi -L 2> /dev/null | grep -c '^GPU') >= $1)) || skip "fewer than $1 GPUs"
  python3 -c 'import torch, sys; sys.exit(not torch.distributed.is_nccl_available())' \
    2> /dev/null || skip "no PyTorch with NCCL"
  export NCCL_NVLS_ENABLE=0  # no multicast
  export NCCL_SOCKET_IFNAME=lo  # one host
  export OMP_NUM_THREADS=2
}

need_gpu() { nvidia-smi -L > /dev/null 2>&1 || skip "no GPU"; }

# Sets $rangefinder to the binary (RANGEFINDER, else that of dist or of a build)
# and $out to the folder of the runs (OUT, else a temporary one), both absolute.
prepare() {
  local candidate
  rangefinder=${RANGEFINDER:-}
  for candidate in "$root"/{dist,build/portable,build/release}/rangefinder; do
    [[ -n $rangefinder || ! -x $candidate ]] || rangefinder=$candidate
  done
  [[ -x $rangefinder ]] || { echo "no rangefinder: set RANGEFINDER" >&2; exit 1; }
  rangefinder=$(realpath "$rangefinder")
  out=${OUT:-$(mktemp -d)}
  mkdir -p "$out"
  out=$(realpath "$out")
}
