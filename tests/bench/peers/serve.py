"""The peer's end of the line: one command a line on standard input, one answer a line, as side.ts asks."""
import json
import os
import sys
import traceback

_answers = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)  # what libraries print must not be taken for an answer


def serve(calls):
    """Does commands until standard input ends."""
    for line in iter(sys.stdin.readline, ''):
        answer(calls, json.loads(line))


def answer(calls, command):
    try:
        reply = {'answer': calls[command['call']](**command['args'])}
    except Exception:
        reply = {'error': traceback.format_exc()}
    print(json.dumps(reply), file=_answers, flush=True)


def _status_mb(name):
    try:
        with open('/proc/self/status') as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith(name + ':'))
    except FileNotFoundError:
        return None


def resident_mb():
    """Resident size now; taken when libraries are loaded and nothing else is."""
    return _status_mb('VmRSS')


def peak_mb(loaded_mb):
    """Largest resident size so far, less what libraries took."""
    peak = _status_mb('VmHWM')
    return None if peak is None or loaded_mb is None else peak - loaded_mb
