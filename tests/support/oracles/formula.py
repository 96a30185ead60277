"""Weights that both sides compute, so none are stored: the numbers of tests/support/families.ts, from a tensor's position among the sorted names and its shape."""
import numpy as np
import torch


def uniforms(seed: int, count: int) -> np.ndarray:
    """Numbers in [0, 1) that depend only on the seed; the hash of tests/support/tensors.ts."""
    def times(a, b):
        return (a.astype(np.uint64) * np.uint64(b) & np.uint64(0xFFFFFFFF)).astype(np.uint32)
    first = np.uint32(((seed ^ 0x9E3779B9) * 0x85EBCA6B) & 0xFFFFFFFF)
    h = first ^ times(np.arange(1, count + 1, dtype=np.uint32), 0xC2B2AE35)
    h = times(h ^ (h >> np.uint32(15)), 0x2C1B3C6D)
    h = times(h ^ (h >> np.uint32(12)), 0x297A2D39)
    return (h ^ (h >> np.uint32(15))).astype(np.float64) / 2**32


def weight(order: int, name: str, shape, gemma: bool) -> np.ndarray:
    spread = uniforms(1000 + order, int(np.prod(shape))) * 2 - 1
    is_gain = "norm" in name or ".ln_" in name
    if is_gain and name.endswith("weight"):
        values = (0.0 if gemma else 1.0) + 0.3 * spread
    else:
        values = (0.2 if name.endswith("weight") else 0.1) * spread
    return values.astype(np.float32).reshape(shape)


def filled(model, gemma: bool):
    """Fills a model; tensors are numbered in the order of their names, a tied output matrix does not count."""
    state = model.state_dict()
    tied = model.config.get_text_config().tie_word_embeddings and "lm_head.weight" in state
    names = sorted(name for name in state if not (tied and name == "lm_head.weight"))
    with torch.no_grad():
        for order, name in enumerate(names):
            state[name].copy_(torch.from_numpy(weight(order, name, tuple(state[name].shape), gemma)))
    return model.eval(), names
