"""Gymnasium's vectorised worlds: NumPy over all copies where it has them (CartPole), else one after another."""
import time

import gymnasium
import numpy as np

import serve


class Control:
    def open(self, name, copies):
        try:
            self.env = gymnasium.make_vec(name, num_envs=copies, vectorization_mode="vector_entry_point")
        except Exception:  # only some worlds have a vectorised form
            self.env = gymnasium.make_vec(name, num_envs=copies, vectorization_mode="sync")
        self.env.reset(seed=0)
        self.env.action_space.seed(0)
        self.actions = [self.env.action_space.sample() for _ in range(97)]
        return {}

    def steps(self, steps):
        started = time.perf_counter()
        for t in range(steps):
            self.env.step(self.actions[t % 97])
        return {"seconds": time.perf_counter() - started}


control = Control()
serve.serve({"open": control.open, "steps": control.steps})
