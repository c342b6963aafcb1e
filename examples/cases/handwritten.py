#!/usr/bin/env python3
"""Two kernels in Triton. Triton compiles them with its own ptxas, or with the one
of TRITON_PTXAS_PATH: an update of the compiler, without one of the program.

    step
      norm              a normalisation of rows
      gelu_product      a matrix product with a GELU behind it
"""
import torch
import triton
import triton.language as tl

ROWS, HIDDEN, STEPS = 8192, 2048, 200
region = torch.cuda.nvtx.range


@triton.jit
def norm_kernel(x, y, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    offsets = tl.arange(0, BLOCK)
    inside = offsets < columns
    values = tl.load(x + row * columns + offsets, mask=inside, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(inside, values - mean, 0.0)
    scale = tl.rsqrt(tl.sum(centred * centred, axis=0) / columns + 1e-5)
    tl.store(y + row * columns + offsets, (centred * scale).to(tl.bfloat16), mask=inside)


@triton.jit
def gelu_product_kernel(a, b, c, n, k, M: tl.constexpr, N: tl.constexpr,
                        K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    inner = tl.arange(0, K)
    left = a + rows[:, None] * k + inner[None, :]
    right = b + inner[:, None] * n + columns[None, :]
    total = tl.zeros((M, N), dtype=tl.float32)
    for _ in range(0, k, K):
        total = tl.dot(tl.load(left), tl.load(right), total)
        left += K
        right += K * n
    total = 0.5 * total * (1 + tl.erf(total * 0.7071067811865476))
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.bfloat16))


@torch.inference_mode()
def main():
    torch.manual_seed(0)
    like = {"device": "cuda", "dtype": torch.bfloat16}
    x, y, z = (torch.randn(ROWS, HIDDEN, **like) for _ in range(3))
    weight = torch.randn(HIDDEN, HIDDEN, **like)

    def step():
        with region("norm"):
            norm_kernel[(ROWS,)](x, y, HIDDEN, BLOCK=2048, num_warps=8)
        with region("gelu_product"):
            gelu_product_kernel[(ROWS // 128, HIDDEN // 128)](
                y, weight, z, HIDDEN, HIDDEN, M=128, N=128, K=64, num_warps=8,
                num_stages=3)

    for _ in range(3):  # compiles; outside of `step`
        step()
    torch.cuda.synchronize()
    for _ in range(STEPS):
        with region("step"):
            step()
    torch.cuda.synchronize()
    print(f"checksum {z.float().sum().item():.1f}, triton {triton.__version__}")


if __name__ == "__main__":
    main()
