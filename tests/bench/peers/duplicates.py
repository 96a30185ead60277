"""Near duplicates by datasketch: MinHash with the same permutations, bands and rows, over the same shingles."""
import json
import time

from datasketch import MinHash, MinHashLSH

import serve


def find(file, bands, rows, shingle, near):
    with open(file) as lines:
        texts = [json.loads(line) for line in lines]
    loaded = serve.resident_mb()
    start = time.perf_counter()
    lsh = MinHashLSH(num_perm=bands * rows, params=(bands, rows))
    found = {}
    for at, text in enumerate(texts):
        words = text.split()
        sketch = MinHash(num_perm=bands * rows)
        sketch.update_batch([" ".join(words[i : i + shingle]).encode() for i in range(max(1, len(words) - shingle + 1))])
        found[at] = lsh.query(sketch)
        lsh.insert(at, sketch)
    seconds = time.perf_counter() - start
    return {"seconds": seconds, "peakMb": serve.peak_mb(loaded), "found": sum(a in found[b] for a, b in near)}


serve.serve({"find": find})
