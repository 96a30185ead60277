import { describe, expect, it } from 'vitest';
import type { EventBody } from '../../engine/schema/messages.ts';
import { logLine } from '../../preload/wire/log-lines.ts';
import { rejected } from '../support/errors.ts';
import { teller } from '../support/tell.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

async function logged() {
  const open = await workspaceForTest();
  const { store } = open;
  const { id } = await store.runs.create(parsedSpec(), []);
  let tell = teller(store, id, 0);
  const begin = async (from: string | null = null, at = Date.now) => {
    tell = teller(store, id, await store.runs.beginAttempt(id, from), at);
  };
  return { open, store, id, begin, tell: (step: number, ...bodies: EventBody[]) => tell(step, ...bodies) };
}
const progress = (phase: string, done: number): EventBody => ({
  type: 'progress',
  phase,
  done,
  total: 9,
  secondsLeft: 1,
});

describe('the log of a run', () => {
  it('has its attempts, phases once, checkpoints, faults, errors whole, and its end, in order', async () => {
    const { open, store, id, begin, tell } = await logged();
    await begin();
    await tell(0, progress('opening', 0));
    await tell(1, progress('training', 1));
    await tell(2, progress('training', 2));
    await tell(2, {
      type: 'checkpoint',
      checkpoint: {
        path: `${open.folder}/c`,
        hash: 'h',
        bytes: 12,
        parameters: 3,
        head: 'next-token',
        final: false,
      },
    });
    await tell(3, {
      type: 'result',
      kind: 'reward-fault',
      value: { scorer: 'code', kind: 'error', message: 'division by zero', prompt: '1/0', completion: '7' },
    });
    await tell(3, {
      type: 'result',
      kind: 'replay',
      value: { step: 3, buffer: 'kept', rows: 2, effective: 1, ages: [1, 2], weights: [1, 1], counts: [[2]] },
    });
    await tell(3, {
      type: 'failed',
      error: { kind: 'numeric', message: 'The loss is NaN.', where: 'step 3', hint: 'Lower the rate.' },
    });
    await store.runs.enqueue(id, false);
    const [{ id: checkpoint }] = await store.checkpoints.list(id);
    await begin(checkpoint);
    await store.runs.stop(id, true);
    await tell(2, { type: 'finished', outcome: 'stopped' });
    const { entries, more } = await store.runLog.of(id);
    expect(more).toBe(false);
    expect(entries.map(({ kind, step, text }) => `${kind} ${step ?? '-'} ${text.split(',')[0]}`)).toEqual([
      'state - created and queued',
      'attempt - attempt 1 started',
      'phase 0 opening',
      'phase 1 training',
      'checkpoint 2 checkpoint saved',
      'warning 3 code could not score an answer: division by zero',
      "evaluation 3 replay buffer 'kept' of 2 rows",
      'error 2 failed',
      'state 2 queued again',
      'attempt 2 attempt 2 started from the checkpoint of step 2',
      'state 2 asked to stop',
      'state 2 stopped',
    ]);
    expect(entries[7].detail).toBe('numeric: The loss is NaN.\nwhere: step 3\nhint: Lower the rate.');
    expect(entries.every(({ at }) => at !== null && Math.abs(Date.now() - at) < 600_000)).toBe(true);
  });

  it('says where a metric was not finite, after the entries of earlier steps', async () => {
    const { store, id, begin, tell } = await logged();
    await begin();
    await tell(1, progress('training', 1));
    await tell(4, { type: 'metrics', values: { loss: Number.NaN } });
    await tell(8, progress('evaluating', 1));
    const { entries } = await store.runLog.of(id);
    expect(entries.slice(2).map(({ at, text }) => [at === null, text])).toEqual([
      [false, 'training'],
      [true, 'loss is not finite'],
      [false, 'evaluating'],
    ]);
  });

  it('keeps the order of what happened within one millisecond', async () => {
    const { store, id, begin, tell } = await logged();
    let at = 0;
    await begin(null, () => at);
    at = (await store.runLog.of(id)).entries[1].at ?? 0;
    const fault = { scorer: 'code', kind: 'error', message: 'no', prompt: 'p', completion: 'c' } as const;
    await tell(0, progress('opening', 0));
    await tell(1, progress('training', 1), { type: 'result', kind: 'reward-fault', value: fault });
    await tell(2, progress('evaluating', 1));
    const { entries } = await store.runLog.of(id);
    expect(entries.filter((entry) => entry.at === at).map(({ text }) => text.split(':')[0])).toEqual([
      ...(entries[0].at === at ? ['created and queued'] : []),
      'attempt 1 started',
      'opening',
      'training',
      'code could not score an answer',
      'evaluating',
    ]);
  });

  it('is refused for a run that is not there', async () => {
    const { store } = await workspaceForTest();
    expect((await rejected(store.runLog.of('nobody'))).kind).toBe('not-found');
  });
});

describe('a line of a log', () => {
  it('has the time in UTC, the kind, the place and the text, and its detail below, indented', () => {
    const entry = { at: 0, attempt: 2, step: 3, kind: 'error', text: 'failed', detail: 'a\nb' } as const;
    expect(logLine(entry)).toBe(
      '1970-01-01T00:00:00.000Z  error       attempt 2, step 3: failed\n    a\n    b',
    );
    expect(logLine({ at: null, attempt: 1, step: null, kind: 'state', text: 'x' })).toMatch(
      /^- {23} {2}state/,
    );
  });
});
