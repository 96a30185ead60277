"""The peer's side of the protocol in side.ts: one command per line of standard input, one answer per line."""
import json
import os
import sys
import traceback

_answers = os.fdopen(os.dup(1), 'w')
os.dup2(2, 1)  # output of libraries must not be read as an answer


def serve(calls):
    """Runs commands until standard input ends."""
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
    """Current resident size in MB; called once only the libraries are loaded."""
    return _status_mb('VmRSS')


def peak_mb(loaded_mb):
    """Peak resident size in MB, minus that of the libraries."""
    peak = _status_mb('VmHWM')
    return None if peak is None or loaded_mb is None else peak - loaded_mb
