#!/usr/bin/env python3
"""Classifies images, batch by batch, from the memory of the host.

    batch
      load              the images to the GPU
      classify
      score             how many were right

    loader.py           from pageable memory: the copy is synchronous
    loader.py --pinned  from pinned memory, with non_blocking=True
"""
import argparse

import torch
from torch import nn

IMAGES, SIZE, CLASSES, BATCHES = 64, 224, 100, 4
region = torch.cuda.nvtx.range


def network():
    layers, channels = [], 3
    for wider in (32, 64, 128, 256):
        layers += [nn.Conv2d(channels, wider, 3, stride=2, padding=1), nn.ReLU(),
                   nn.Conv2d(wider, wider, 3, padding=1), nn.ReLU()]
        channels = wider
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(),
                         nn.Linear(channels, CLASSES))


@torch.inference_mode()
def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pinned", action="store_true")
    parser.add_argument("--steps", type=int, default=60)
    arguments = parser.parse_args()
    torch.manual_seed(0)
    model = network().to("cuda", torch.bfloat16,
                         memory_format=torch.channels_last)
    data = [(torch.randn(IMAGES, 3, SIZE, SIZE), torch.randint(CLASSES, (IMAGES,)))
            for _ in range(BATCHES)]
    if arguments.pinned:
        data = [(images.pin_memory(), labels.pin_memory())
                for images, labels in data]

    def load(images, labels):
        return (images.to("cuda", non_blocking=arguments.pinned),
                labels.to("cuda", non_blocking=arguments.pinned))

    def classify(images):
        return model(images.to(torch.bfloat16, memory_format=torch.channels_last))

    for images, labels in data:  # loads kernels; outside of all regions
        images, labels = load(images, labels)
        (classify(images).argmax(dim=1) == labels).sum().item()
    right = 0
    for index in range(arguments.steps):
        with region("batch"):
            with region("load"):
                images, labels = load(*data[index % BATCHES])
            with region("classify"):
                scores = classify(images)
            with region("score"):
                right += (scores.argmax(dim=1) == labels).sum().item()
    print(f"{right} of {arguments.steps * IMAGES} right")


if __name__ == "__main__":
    main()
