"""Reading a run's event files by TensorBoard's own EventAccumulator, every point of every tag."""
import time

from tensorboard.backend.event_processing import event_accumulator

import serve


def read(path):
    loaded = serve.resident_mb()
    start = time.perf_counter()
    events = event_accumulator.EventAccumulator(path, size_guidance={"scalars": 0})
    events.Reload()
    points = sum(len(events.Scalars(tag)) for tag in events.Tags()["scalars"])
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "peakMb": serve.peak_mb(loaded), "points": points}


serve.serve({"read": read})
