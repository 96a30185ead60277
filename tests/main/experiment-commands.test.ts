import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExperimentSpecInput } from '../../engine/schema/experiment.ts';
import type { Experiment } from '../../preload/contract/experiments.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';
import { servicesIn, smallSpec } from '../support/workspace.ts';

/** A folder with files for commands, and the flags that name its workspace. */
function place() {
  const home = temporaryFolder();
  const path = join(home, 'workspace');
  return {
    home,
    path,
    at: ['--workspace', path, '--json'],
    file: (name: string, content: unknown): string => {
      const to = join(home, name);
      writeFileSync(to, JSON.stringify(content));
      return to;
    },
  };
}

const sweep: ExperimentSpecInput = {
  name: 'rates',
  base: smallSpec({ budget: { steps: 4, batch: 8 }, optimizer: { learningRate: 1e-3 } }),
  axes: [{ path: 'optimizer.learningRate', from: 1e-4, to: 1e-2, scale: 'log', count: 3 }],
  strategy: { kind: 'successive-halving', trials: 4, eta: 2, leastSteps: 1 },
  objective: { metric: 'loss', direction: 'minimize' },
};

describe('the commands for experiments', () => {
  it('plan one, run it to its end, show it as a table, and remove it with its runs', async () => {
    const { at, file } = place();
    const spec = file('sweep.json', sweep);
    const planned = await cli('experiment', spec, '--plan', ...at);
    expect(planned.value).toMatchObject({ runs: 7, paths: ['optimizer.learningRate'] });
    expect((await cli('runs', ...at)).value).toEqual([]);

    const { code, value } = await cli('experiment', spec, ...at);
    const ran = value as Experiment;
    expect([code, ran.state, ran.ended, ran.of]).toEqual([0, 'done', 7, 7]);
    const listed = (await cli('experiments', ...at)).value as Experiment[];
    expect(listed.map(({ id, name }) => [id, name])).toEqual([[ran.id, 'rates']]);
    const shown = await cli('experiments', 'show', ran.id, '--workspace', at[1]);
    expect(shown.out).toContain('rates is done: 7 of 7 runs have ended.');
    expect(shown.out).toMatch(/best .*1 of 1 +4 +done/);
    expect(shown.out).toContain('cut after rung 1 of 3');
    await cli('experiments', 'remove', ran.id, '--runs', ...at);
    expect((await cli('runs', ...at)).value).toEqual([]);
  });

  it.each([
    [['experiments', 'dance'], 'experiments'],
    [['experiments', 'show'], 'experiments'],
    [['queue', 'dance'], 'queue'],
    [['queue', 'move'], 'queue'],
    [['queue', 'list', '--at-once', '0'], '--at-once'],
  ])('refuse %j', async (words, where) => {
    const { at } = place();
    expect(await cli(...words, ...at)).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where } },
    });
  });

  it('name the setting that an experiment cannot vary', async () => {
    const { at, file } = place();
    const axes = [{ path: 'optimizer.rate', values: [1] }];
    const { code, value } = await cli('experiment', file('sweep.json', { ...sweep, axes }), ...at);
    expect([code, value]).toMatchObject([1, { error: { kind: 'invalid-input', where: 'optimizer.rate' } }]);
  });
});

describe('the command for the queue', () => {
  it('lists, moves and runs what waits', async () => {
    const { home, path, at } = place();
    const bench = await servicesIn(home, { path, engine: null });
    await bench.api.queue.pause({});
    const ids: string[] = [];
    for (const name of ['a', 'b'])
      ids.push(
        (await bench.api.runs.launch({ spec: smallSpec({ name, budget: { steps: 2, batch: 8 } }) })).runId,
      );
    await bench.close();
    const moved = (await cli('queue', 'move', ids[1], '--to', '1', '--at-once', '2', ...at)).value;
    expect(moved).toMatchObject({ paused: 'asked', atOnce: 2, waiting: [{ name: 'b' }, { name: 'a' }] });
    const { value } = await cli('queue', 'go-on', ...at);
    expect((value as { runs: Run[] }).runs.map(({ state }) => state)).toEqual(['done', 'done']);
    expect((await cli('queue', ...at)).value).toMatchObject({ paused: null, waiting: [] });
  });
});

describe('run --fork', () => {
  it('continues a checkpoint with changed settings, by its run and step or by its id', async () => {
    const { at, file } = place();
    const spec = smallSpec({ budget: { steps: 4, batch: 8 }, checkpoints: { every: 2, keep: 9 } });
    const first = (await cli('run', file('spec.json', spec), ...at)).value as {
      run: Run;
      checkpoints: { id: string; step: number }[];
    };
    const { id } = first.run;
    const changed = ['--set', 'optimizer.learningRate=0.01', '--set', 'name=faster'];
    const forked = await cli('run', '--fork', `${id}@2`, ...changed, ...at);
    expect(forked.value).toMatchObject({
      run: {
        name: 'faster',
        state: 'done',
        spec: { optimizer: { learningRate: 0.01 } },
        fork: { runId: id, step: 2, carries: 'state' },
      },
    });
    expect(forked.said).toContain('continues from step 2 with the optimizer’s state');
    const checkpoint = first.checkpoints.find(({ step }) => step === 4);
    const more = ['--set', 'budget.steps=6'];
    expect((await cli('run', '--fork', checkpoint?.id ?? '', ...more, ...at)).value).toMatchObject({
      run: { step: 6, fork: { step: 4 } },
    });
    for (const [flags, where] of [
      [['--fork', `${id}@3`], '--fork'],
      [['--fork', `${id}@2`, '--set', 'seed'], '--set'],
      [[], '--fork'],
    ] as const)
      expect(await cli('run', ...flags, ...at)).toMatchObject({
        code: 1,
        value: { error: { kind: 'invalid-input', where } },
      });
  });
});
