"""Mercer kernels: their matrices, their algebra, their feature maps."""
