import { describe, expect, it } from 'vitest';
import { followedLog } from '../../main/commands/followed-log.ts';
import { openRunReader, type RunReader } from '../../main/store/run-reader.ts';
import { cli } from '../support/cli.ts';
import { rejected } from '../support/errors.ts';
import { teller } from '../support/tell.ts';
import { parsedSpec, workspaceForTest } from '../support/workspace.ts';

/** A run that is being trained, with a reader as another process has it. */
async function training() {
  const open = await workspaceForTest();
  const { store, folder } = open;
  const { id } = await store.runs.create(parsedSpec({ name: 'watched' }), []);
  const attempt = await store.runs.beginAttempt(id, null);
  const tell = teller(store, id, attempt, Date.now);
  const phase = (step: number, name: string) =>
    tell(step, { type: 'progress', phase: name, done: step, total: 9, secondsLeft: 1 });
  const step = (at: number) => tell(at, { type: 'metrics', values: { loss: 1 } });
  const reader = openRunReader(folder);
  if (!reader) throw new Error('no process owns the workspace');
  return { open, id, tell, phase, step, reader };
}

/** Follows a run; `on` is called with each printed line. */
const follow = (reader: RunReader, id: string, on: (line: string) => Promise<unknown> | undefined) => {
  const lines: string[] = [];
  const answer = followedLog(reader, id, (line) => {
    lines.push(line);
    void on(line);
  }).finally(() => reader.close());
  return { lines, answer };
};

describe('a log that is followed', () => {
  it('prints each line once, new ones as they come, and ends with the run', async () => {
    const { id, tell, phase, step, reader } = await training();
    await phase(0, 'opening');
    await step(2);
    const { lines, answer } = follow(reader, id, (line) => {
      if (line.endsWith('opening')) return phase(1, 'training');
      return line.endsWith('training') ? tell(2, { type: 'finished', outcome: 'done' }) : undefined;
    });
    const { value, text } = await answer;
    expect(text).toBe('watched is done after 2 steps.');
    expect(value).toMatchObject({ state: 'done', step: 2, more: false });
    expect(lines.map((line) => line.slice(26).trim().replaceAll(/ +/g, ' '))).toEqual([
      'state created and queued',
      'attempt attempt 1 started',
      'phase step 0: opening',
      'phase step 1: training',
      'state step 2: done',
    ]);
  });

  it('ends with the error of a failed run, and is refused for a run that is not there', async () => {
    const { id, tell, reader } = await training();
    expect(() => reader.read('nobody')).toThrow('There is no run');
    const { answer } = follow(reader, id, (line) =>
      line.includes('attempt 1')
        ? tell(3, {
            type: 'failed',
            error: { kind: 'numeric', message: 'The loss is NaN.', where: 'step 3', hint: '' },
          })
        : undefined,
    );
    expect(await rejected(answer)).toMatchObject({ kind: 'numeric', message: 'The loss is NaN.' });
  });

  it('leaves a run alone that goes on after Ctrl+C', async () => {
    const { id, step, reader } = await training();
    await step(4);
    const { answer } = follow(reader, id, () => undefined);
    process.emit('SIGINT');
    expect((await answer).text).toBe('watched goes on: running, step 4.');
  });

  it('is an error for a run that waits while no process works on it; one that has ended is printed', async () => {
    const { open, id, reader, step, tell } = await training();
    reader.close();
    await step(1);
    const { id: waiting } = await open.store.runs.create(parsedSpec({ name: 'waiting' }), []);
    await tell(1, { type: 'finished', outcome: 'done' });
    await open.close();
    expect(openRunReader(open.folder)).toBeNull();
    const at = ['--workspace', open.folder, '--follow'];
    const ended = await cli('log', id, ...at);
    expect([ended.code, ended.out.trimEnd().split('\n').at(-1)]).toEqual([
      0,
      'watched is done after 1 step.',
    ]);
    const { code, value } = await cli('log', waiting, ...at, '--json');
    expect([code, value]).toMatchObject([1, { error: { kind: 'conflict', where: waiting } }]);
  });
});
