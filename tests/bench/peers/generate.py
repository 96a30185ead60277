"""Answers of given lengths, sampled in PyTorch."""
import time

import torch

from gpt2 import GPT2
from sampling import Sampler
from serve import serve

sampler = None
size = None


def open_model(size_, threads, parameters, rows, prompt):
    global sampler, size
    torch.set_num_threads(threads)
    size = {**size_, 'prompt': prompt}
    sampler = Sampler(GPT2(**size_).load(parameters), rows)


def generate(lengths, seed):
    """Milliseconds of answers of these lengths, sampled at temperature 1, all in one batch."""
    torch.manual_seed(seed)
    prompts = torch.randint(3, size['vocabulary'], (len(lengths), size['prompt']))
    start = time.perf_counter()
    tokens, logps = sampler.sample(prompts, lengths)
    ms = 1000 * (time.perf_counter() - start)
    if (logps < 0).sum(1).tolist() != lengths:
        raise ValueError('an answer has another length than it was given')
    return ms


serve({'open': lambda size, **rest: open_model(size, **rest), 'generate': generate})
