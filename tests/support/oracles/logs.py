"""Logs as the real tools write them, and what their own readers find in them: python -P logs.py

Needs tensorboard, torch, wandb, trackio, transformers, verl and llamafactory (the last two without dependencies).
Writes the folder logs/ and logs.json: for each run, by the names of the log, steps and values.
"""
import ast
import importlib.util
import json
import math
import os
import shutil
import sqlite3
import struct
import time
from datetime import datetime
from pathlib import Path

here = Path(__file__).parent
out = here / "logs"
shutil.rmtree(out, ignore_errors=True)
found = {}


def plain(value):
    return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")


def keep(key, curves, **more):
    found[key] = {"curves": {tag: [[step, plain(value)] for step, value in points] for tag, points in curves.items()}, **more}


def tensorboard():
    import numpy as np
    from tensorboard.backend.event_processing import event_accumulator
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import Summary, SummaryMetadata
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
    from tensorboard.util import tensor_util
    from torch.utils.tensorboard import SummaryWriter

    folder = out / "tensorboard" / "seed-1"
    with SummaryWriter(str(folder)) as writer:
        for step in range(20):
            writer.add_scalar("train/loss", 1 / (step + 1), step, walltime=1_700_000_000 + step)
            writer.add_scalar("train/rewards/margins", math.sin(step), step, walltime=1_700_000_000 + step)
        writer.add_scalar("train/grad_norm", math.nan, 3)
        writer.add_histogram("weights", np.arange(4.0), 1)
        writer.add_text("note", "a note", 1)
        writer.add_text("args", json.dumps({"learning_rate": 5e-7, "beta": 0.1, "none": math.nan}), 0)
    # a resumed run: a second file, that repeats steps
    with SummaryWriter(str(folder), filename_suffix=".resumed") as writer:
        for step in range(15, 30):
            writer.add_scalar("train/loss", 2 / (step + 1), step, walltime=1_700_001_000 + step)

    tensors = out / "tensorboard" / "tensors"
    writer = EventFileWriter(str(tensors))
    kinds = {"float": "float32", "double": "float64", "long": "int64", "int": "int32", "half": "float16", "true": "bool"}
    for step in range(-1, 3):
        for tag, kind in kinds.items():
            data = tensor_util.make_tensor_proto(np.asarray(step + 0.3).astype(kind))
            packed = tensor_util.make_tensor_proto(np.asarray(step + 0.3).astype(kind))
            packed.tensor_content = np.asarray(step + 0.3).astype(kind).tobytes()
            for field in ("float_val", "double_val", "int_val", "int64_val", "half_val", "bool_val"):
                packed.ClearField(field)
            metadata = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name="scalars"))
            values = [Summary.Value(tag=t, tensor=d, metadata=metadata if step < 0 else None) for t, d in ((tag, data), (tag + "/packed", packed))]
            writer.add_event(Event(step=step, wall_time=1_700_000_000.5, summary=Summary(value=values)))
    writer.close()

    with SummaryWriter(str(out / "tensorboard" / "hparams")) as writer:
        writer.add_hparams({"lr": 0.1, "kind": "dpo", "adapter": True}, {"final/loss": 0.25}, run_name=".")

    for run in ("seed-1", "tensors", "hparams"):
        # the same names on every machine
        for i, path in enumerate(sorted((out / "tensorboard" / run).iterdir())):
            path.rename(path.with_name(f"events.out.tfevents.170000000{i}.host.0.{i}"))
        events = event_accumulator.EventAccumulator(str(out / "tensorboard" / run), size_guidance={"scalars": 0, "tensors": 0})
        events.Reload()
        curves = {tag: [(e.step, e.value) for e in events.Scalars(tag)] for tag in events.Tags()["scalars"]}
        for tag in events.Tags()["tensors"]:
            points = [(e.step, tensor_util.make_ndarray(e.tensor_proto)) for e in events.Tensors(tag)]
            if all(value.shape == () and value.dtype != object for _, value in points):
                curves[tag] = [(step, float(value)) for step, value in points]
        keep(f"tensorboard/{run}", curves)


def wandb():
    os.environ.update(WANDB_MODE="offline", WANDB_SILENT="true", WANDB_DIR=str(out), WANDB_DISABLE_GIT="true", WANDB_DISABLE_CODE="true")
    import wandb

    logged = {}
    settings = wandb.Settings(x_disable_stats=True, console="off", x_disable_meta=True, save_code=False, host="host")
    config = {"learning_rate": 5e-7, "beta": 0.1, "model": {"name": "small", "layers": 2}}
    with wandb.init(project="p", name="dpo, seed 1", id="fixed", config=config, settings=settings) as run:
        for step in range(40):
            row = {"train/loss": 1 / (step + 1), "train/rewards/margins": math.sin(step), "nested": {"deep": {"a": step}}}
            run.log(row, step=step)
            for tag, value in (("train/loss", row["train/loss"]), ("train/rewards/margins", row["train/rewards/margins"]), ("nested.deep.a", step)):
                logged.setdefault(tag, []).append((step, value))
        run.log({"train/loss": math.nan, "big": math.inf, "text": "words", "hist": wandb.Histogram([1, 2, 3])}, step=60)
        logged["train/loss"].append((60, math.nan))
        logged["big"] = [(60, math.inf)]
        # one record that does not fit into a block of 32 kB
        run.log({"long": "x" * 33_000, "after": 1.5}, step=61)
        logged["after"] = [(61, 1.5)]
    file = next((out / "wandb").glob("offline-run-*/run-fixed.wandb"))
    target = out / "run-fixed.wandb"
    shutil.move(file, target)
    shutil.rmtree(out / "wandb")
    keep("wandb", logged, name="dpo, seed 1", config=config)


def trackio():
    os.environ.update(TRACKIO_DIR=str(out / "trackio"), TRACKIO_SQLITE_JOURNAL_MODE="delete")
    import trackio

    for name in ("one", "two"):
        trackio.init(project="project", name=name, config={"lr": 0.1, "name": name}, embed=False)
        curves = {"train/loss": [], "reward": []}
        for step in range(10):
            value = math.nan if step == 4 else step / 10
            trackio.log({"train/loss": value, "reward": -step}, step=step)
            curves["train/loss"].append((step, value))
            curves["reward"].append((step, -step))
        trackio.finish()
        keep(f"trackio/{name}", curves)
    for path in (out / "trackio").iterdir():
        if path.name != "project.db":
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    db = sqlite3.connect(out / "trackio" / "project.db")
    db.execute("pragma page_size = 512")
    db.execute("vacuum")
    db.close()
    (out / "trackio" / "project.db").rename(out / "trackio.db")
    (out / "trackio").rmdir()


def trainer():
    from transformers.trainer_callback import TrainerState

    history = [
        {"epoch": 0.1 * i, "loss": 1 / i, "grad_norm": math.nan if i == 3 else 0.5, "learning_rate": 1e-5, "rewards/margins": 0.1 * i, "step": 10 * i}
        for i in range(1, 6)
    ]
    history.append({"epoch": 0.5, "eval_loss": 0.4, "eval_rewards/accuracies": 0.75, "eval_runtime": 1.5, "step": 50})
    for folder, entries in (("checkpoint-20", 2), ("checkpoint-50", 6)):
        state = TrainerState(global_step=10 * entries, max_steps=100, num_train_epochs=1, log_history=history[:entries])
        (out / "dpo-output" / folder).mkdir(parents=True)
        state.save_to_json(str(out / "dpo-output" / folder / "trainer_state.json"))
    curves = {}
    for entry in history:
        for name, value in entry.items():
            if name != "step":
                curves.setdefault(name, []).append((entry["step"], value))
    keep("dpo-output", curves)


def factory():
    spec = importlib.util.find_spec("llamafactory")
    tree = ast.parse((Path(spec.origin).parent / "train" / "callbacks.py").read_text())
    callback = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "LogCallback")
    methods = [node for node in callback.body if isinstance(node, ast.FunctionDef) and node.name in ("on_log", "_write_log")]
    for method in methods:
        method.decorator_list = []
    names = {"os": os, "json": json, "time": time, "TRAINER_LOG": "trainer_log.jsonl", "is_env_enabled": lambda _name: False, "Any": None}
    exec(compile(ast.fix_missing_locations(ast.Module(body=methods, type_ignores=[])), "callbacks.py", "exec"), names)

    class Fake:
        cur_steps, max_steps, elapsed_time, remaining_time, webui_mode = 0, 30, "0:00:01", "0:00:02", False
        thread_pool = type("Pool", (), {"submit": staticmethod(lambda write, folder, logs: write(folder, logs))})

        def _timing(self, cur_steps):
            self.cur_steps = cur_steps

        def _write_log(self, folder, logs):
            names["_write_log"](self, folder, logs)

    folder = out / "factory"
    folder.mkdir(parents=True)
    fake, curves = Fake(), {"loss": [], "lr": [], "epoch": [], "accuracy": []}
    for step in (10, 20, 30):
        entry = {"loss": 1 / step, "learning_rate": 1e-4, "epoch": step / 30, "rewards/accuracies": 0.5}
        state = type("State", (), {"global_step": step, "log_history": [entry], "num_input_tokens_seen": 0})
        names["on_log"](fake, type("Args", (), {"should_save": True, "output_dir": str(folder)}), state, None)
        for name, key in (("loss", "loss"), ("lr", "learning_rate"), ("epoch", "epoch"), ("accuracy", "rewards/accuracies")):
            curves[name].append((step, entry[key]))
    keep("factory", curves)


def verl():
    root = Path(importlib.util.find_spec("verl").origin).parent

    def source(path, name):
        tree = ast.parse((root / path).read_text())
        body = [node for node in tree.body if getattr(node, "name", "") == name]
        import numbers
        import pprint

        import orjson

        space = {"os": os, "orjson": orjson, "numbers": numbers, "pprint": pprint}
        exec(compile(ast.Module(body=body, type_ignores=[]), path, "exec"), space)
        return space[name]

    os.environ["VERL_FILE_LOGGER_PATH"] = str(out / "verl.jsonl")
    logger = source("utils/tracking.py", "FileLogger")("p", "run")
    line = source("utils/logger/aggregate_logger.py", "concat_dict_to_str")
    curves = {}
    with open(out / "verl.log", "w") as console:
        console.write("Starting…\n\x1b[36m(TaskRunner pid=12)\x1b[0m some output: 3\n")
        for step in range(1, 6):
            data = {"actor/pg_loss": -0.1 * step, "critic/score/mean": 0.2 * step, "actor/grad_norm": math.nan if step == 2 else 1.5, "training/global_step": step}
            logger.log(data, step)
            console.write(f"\x1b[36m(TaskRunner pid=12)\x1b[0m {line(data, step)}\n")
            for name, value in data.items():
                if name != "training/global_step":
                    curves.setdefault(name, []).append((step, value))
    logger.finish()
    keep("verl", curves)


out.mkdir()
for tool in (tensorboard, wandb, trackio, trainer, factory, verl):
    tool()
(here / "logs.json").write_text(json.dumps(found, indent=1) + "\n")
