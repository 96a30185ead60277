"""Reads exported curves with the tools themselves, by hand: python -P logs_read.py FORMAT PATH

FORMAT is tensorboard (EventAccumulator), wandb (its DataStore up to version 0.18, else its protobuf classes), csv,
csv-wide (pandas) or parquet (pyarrow). Prints {run: {metric: [[step, value, milliseconds], …]}} as JSON.
"""
import json
import math
import struct
import sys
import zlib
from pathlib import Path

kind, path = sys.argv[1], Path(sys.argv[2])
runs = {}


def plain(value):
    return value if math.isfinite(value) else str(value).replace("inf", "Infinity").replace("nan", "NaN")


def add(run, metric, step, value, at):
    runs.setdefault(run, {}).setdefault(metric, []).append([int(step), plain(float(value)), at])


def tensorboard():
    from tensorboard.backend.event_processing import event_accumulator

    for folder in sorted(path.iterdir()):
        events = event_accumulator.EventAccumulator(str(folder), size_guidance={"scalars": 0})
        events.Reload()
        for tag in events.Tags()["scalars"]:
            for each in events.Scalars(tag):
                add(folder.name, tag, each.step, each.value, round(each.wall_time * 1000))


def records(file):
    try:
        from wandb.sdk.internal.datastore import DataStore  # W&B's own reader, up to version 0.18
    except ImportError:
        yield from framed(file.read_bytes())
        return
    store = DataStore()
    store.open_for_scan(str(file))
    while (data := store.scan_data()) is not None:
        yield data


def framed(data):
    assert data[:7] == struct.pack("<4sHB", b":W&B", 0xBEE1, 0)
    at, parts = 7, b""
    while at < len(data):
        left = 32768 - at % 32768
        if left < 7:
            at += left
            continue
        crc, length, type_ = struct.unpack("<IHB", data[at : at + 7])
        part = data[at + 7 : at + 7 + length]
        assert zlib.crc32(part, zlib.crc32(bytes([type_]))) == crc
        parts = part if type_ in (1, 2) else parts + part
        at += 7 + length
        if type_ in (1, 4):
            yield parts


def wandb():
    from wandb.proto import wandb_internal_pb2

    for file in sorted(path.glob("offline-run-*/run-*.wandb")):
        name = ""
        for data in records(file):
            record = wandb_internal_pb2.Record()
            record.ParseFromString(data)
            if record.HasField("run"):
                name = record.run.display_name
            if not record.HasField("history"):
                continue
            items = {".".join(item.nested_key) or item.key: json.loads(item.value_json) for item in record.history.item}
            step, at = items.pop("_step"), items.pop("_timestamp")
            items.pop("_runtime")
            assert record.history.step.num == step
            for metric, value in items.items():
                add(name, metric, step, value, round(at * 1000))


def table():
    import pandas
    import pyarrow.parquet

    frame = pyarrow.parquet.read_table(path).to_pandas() if kind == "parquet" else pandas.read_csv(path)
    if kind == "csv-wide":
        text = pandas.read_csv(path, dtype=str, keep_default_na=False)
        for i, row in text.iterrows():
            for metric in frame.columns[3:]:
                if row[metric] != "":
                    add(row["run"], metric, row["step"], float(row[metric]), None)
        return
    for row in frame.itertuples():
        at = pandas.Timestamp(row.time)
        add(row.run, row.metric, row.step, row.value, None if pandas.isna(at) else round(at.timestamp() * 1000))


{"tensorboard": tensorboard, "wandb": wandb, "csv": table, "csv-wide": table, "parquet": table}[kind]()
print(json.dumps(runs))
