import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { FoundLog, LogImportProgress } from '../../preload/contract/logs.ts';
import { CurveExportState } from '../../renderer/features/logs/exporting.svelte.ts';
import { LogImportState } from '../../renderer/features/logs/importing.svelte.ts';

const found = (key: string): FoundLog => ({
  key,
  tool: 'verl',
  name: key,
  path: `/logs/${key}`,
  files: 1,
  bytes: 10,
});
const result = { runs: [], leftOut: [] };

/** An import whose services answer when the test says so. */
function opened(runs = ['a', 'b', 'c'].map(found)) {
  const asked: { path: string; name?: string; keys?: string[] }[] = [];
  let closed = 0;
  let push: (progress: LogImportProgress) => void = () => undefined;
  let end: (error?: unknown) => void = () => undefined;
  const state = new LogImportState({
    find: ({ path }) =>
      path === '/empty'
        ? Promise.reject(new WhetstoneError('invalid-input', 'No log of a training run was found here.'))
        : Promise.resolve(runs),
    import: (input, onValue, onEnd) => {
      asked.push(input);
      [push, end] = [onValue, (error) => onEnd?.(error)];
      return () => {
        closed += 1;
      };
    },
  });
  return {
    state,
    asked,
    push: (progress: LogImportProgress) => push(progress),
    end: (error?: unknown) => end(error),
    closed: () => closed,
  };
}

describe('an import of logs', () => {
  it('begins with all runs chosen, and imports those that remain, in the order of the list', async () => {
    const { state, asked, push, end } = opened();
    state.path = ' /logs ';
    await state.look();
    expect([...state.chosen]).toEqual(['a', 'b', 'c']);
    state.toggle('b');
    const done = state.import();
    push({ state: 'done', result });
    end();
    await done;
    expect(asked).toEqual([{ path: '/logs', name: '', keys: ['a', 'c'] }]);
    expect(state.result).toBe(result);
    expect(state.found).toBeNull();
  });

  it('chooses all or none at once, and imports nothing without a choice', async () => {
    const { state, asked } = opened();
    state.path = '/logs';
    await state.look();
    state.toggleAll();
    expect(state.chosen.size).toBe(0);
    await state.import();
    expect(asked).toEqual([]);
    state.toggle('b');
    state.toggleAll();
    expect(state.chosen.size).toBe(3);
  });

  it('forgets the list when the path changes, so that no other file is imported', async () => {
    const { state, asked } = opened();
    state.path = '/logs';
    await state.look();
    state.path = '/other';
    expect(state.found).toBeNull();
    await state.import();
    expect(asked).toEqual([]);
  });

  it('shows the error of a path without logs, until the next look', async () => {
    const { state } = opened();
    state.path = '/empty';
    await state.look();
    expect(state.error?.kind).toBe('invalid-input');
    state.path = '/logs';
    await state.look();
    expect([state.error, state.found?.length]).toEqual([null, 3]);
  });

  it('is cancelled once, and keeps the list for another try', async () => {
    const { state, push, closed } = opened();
    state.path = '/logs';
    await state.look();
    const done = state.import();
    push({ state: 'reading', name: 'a', run: 1, runs: 3, bytes: 5, totalBytes: 30, points: 7 });
    expect(state.reading?.points).toBe(7);
    await state.import(); // a second press
    state.cancel();
    await done;
    expect([closed(), state.error?.kind, state.reading]).toEqual([1, 'cancelled', null]);
    expect(state.found).toHaveLength(3);
  });
});

describe('an export of curves', () => {
  it('is not begun without a path or a run, nor twice', async () => {
    let calls = 0;
    const state = new CurveExportState({
      export: () => {
        calls += 1;
        return () => undefined;
      },
    });
    await state.write(['a']);
    state.path = '/x.csv';
    await state.write([]);
    expect(calls).toBe(0);
    void state.write(['a']);
    await state.write(['a']);
    expect(calls).toBe(1);
    state.cancel();
  });
});
