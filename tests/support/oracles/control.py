"""States, rewards and ends of Gymnasium's classic control worlds, step by step, from given states."""
import json
import pathlib

import gymnasium
import numpy as np

from formula import uniforms

cases = []
worlds = [
    ("control/cart-pole", "CartPole-v1", [0.05, 0.05, 0.05, 0.05], 2),
    ("control/pendulum", "Pendulum-v1", [3.1, 1.0], None),
    ("control/mountain-car", "MountainCar-v0", [0.5, 0.05], 3),
    ("control/acrobot", "Acrobot-v1", [2.5, 2.5, 3.0, 6.0], 3),
]
for at, (world, name, scale, choices) in enumerate(worlds):
    for episode in range(6):
        env = gymnasium.make(name).unwrapped
        env.reset(seed=0)
        drawn = uniforms(900 + 10 * at + episode, len(scale) + 40)
        state = np.array([s * (2 * v - 1) for s, v in zip(scale, drawn)], dtype=np.float64)
        if world == "control/mountain-car":
            # the valley; below the top; before the wall on the left
            state = [state - [0.4, 0], np.array([0.4, 0.05]), np.array([-1.1, -0.06])][max(episode - 3, 0)]
        start = state.tolist()
        env.state = state
        actions, states, observations, rewards, ends = [], [], [], [], []
        for value in drawn[len(scale):]:
            if choices is None:
                action = float(3 * (2 * value - 1))  # beyond the bounds at times
                step = np.array([action], dtype=np.float64)
            else:
                action = step = int(value * choices)
            observation, reward, terminated, _, _ = env.step(step)
            actions.append(action)
            states.append([float(f"{v:.12g}") for v in env.state])
            observations.append([float(f"{v:.8g}") for v in observation])
            rewards.append(float(reward))
            ends.append(bool(terminated))
            if terminated:
                break
        cases.append({"world": world, "start": start, "actions": actions, "states": states,
                      "observations": observations, "rewards": rewards, "ends": ends})
path = pathlib.Path(__file__).with_name("control.json")
path.write_text(json.dumps({"gymnasium": gymnasium.__version__, "cases": cases}) + "\n")
