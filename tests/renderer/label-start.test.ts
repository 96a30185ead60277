import { describe, expect, it } from 'vitest';
import { checkSpec } from '../../engine/index.ts';
import { LaunchState } from '../../renderer/features/runs/form/launch.svelte.ts';
import { labeledDataset, startForLabels, startsOf } from '../../renderer/features/runs/form/references.ts';
import { catalogue, checkpoint, labelSet } from '../support/launch-form.ts';

const start = (id: string) => ({ kind: 'checkpoint', checkpointId: id });
const port = {
  check: async ({ spec }: { spec: unknown }) => checkSpec(spec),
  launch: async () => ({ runId: 'run' }),
  preflight: () => () => undefined,
};
/** Services that report the model requirements of each label set. */
const labels = (needs: Readonly<Record<string, { bytes: number; readable: string[] }>>) => ({
  reading: ({ setId }: { setId: string }) => Promise.resolve(needs[setId]),
});
const checkpoints = [
  checkpoint('sums'),
  checkpoint('sums at 5', { runId: 'run of sums' }),
  checkpoint('judge', { head: 'reward' }),
  checkpoint('prose'),
];
const stock = {
  catalogue,
  checkpoints,
  models: [],
  datasets: [],
  labelSets: [labelSet('maths'), labelSet('essays'), labelSet('letters')],
  runs: [],
};
const needs = {
  maths: { bytes: 40, readable: ['sums', 'prose'] },
  essays: { bytes: 600, readable: ['prose'] },
  letters: { bytes: 600, readable: [] },
};

describe('the start of a run on labels', () => {
  it('considers the newest checkpoint of each run with a language-model head', () => {
    expect(startsOf(checkpoints).map(({ id }) => id)).toEqual(['sums', 'prose']);
  });
  it('is the newest suitable checkpoint, or a new byte-level model with context for nearly all pairs', async () => {
    const starts = await Promise.all(
      ['maths', 'essays', 'letters'].map((id) => startForLabels(labels(needs), id, checkpoints)),
    );
    expect(starts).toEqual([
      start('sums'),
      start('prose'),
      { kind: 'new', architecture: { context: 1024 }, tokenizer: { kind: 'bytes' } },
    ]);
  });
  it('offers to train a base on the labeled answers if they come from a dataset', () => {
    const sets = [
      { ...labelSet('maths'), source: 'dataset:solutions' },
      { ...labelSet('samples'), source: 'run:policy' },
    ];
    const offered = ['maths', 'samples', 'none'].map((labelSetId) =>
      labeledDataset({ kind: 'labels', labelSetId }, sets),
    );
    expect(offered).toEqual(['solutions', undefined, undefined]);
    expect(labeledDataset({ kind: 'world', labelSetId: 'maths' }, sets)).toBeUndefined();
  });
  it('follows the label set, until the user chooses a model', async () => {
    const launch = new LaunchState(
      stock,
      { models: { policy: start('sums') } },
      port,
      () => undefined,
      labels(needs),
    );
    launch.chooseMethod('bradley-terry');
    const policyFor = async (id: string) => {
      launch.draft.set(['task'], { kind: 'labels', labelSetId: id });
      await launch.offerStart();
      return launch.draft.plain().models;
    };
    expect(await policyFor('essays')).toEqual({ policy: start('prose') });
    expect(await policyFor('maths')).toEqual({ policy: start('sums') });
    launch.draft.set(['models', 'policy'], start('prose'));
    expect(await policyFor('letters')).toEqual({ policy: start('prose') });
  });
  it('keeps an explicit model: a checkpoint in the address, a copied run', async () => {
    const launch = new LaunchState(stock, { models: { policy: start('sums') } }, port, () => undefined);
    launch.chooseMethod('bradley-terry');
    launch.draft.set(['task'], { kind: 'labels', labelSetId: 'letters' });
    await launch.offerStart();
    expect(launch.draft.plain().models).toEqual({ policy: start('sums') });
  });
});

describe('a judge with random weights', () => {
  const opened = (policy: object) => {
    const launch = new LaunchState(stock, { models: { policy } }, port, () => undefined);
    launch.chooseMethod('bradley-terry');
    launch.checkSoon();
    return launch;
  };
  const trunk = (launch: LaunchState) => launch.draft.get(['method', 'params', 'trunk']);

  it('trains all weights by default, never only a head on random features', () => {
    const launch = opened({ kind: 'new', architecture: {}, tokenizer: { kind: 'bytes' } });
    expect([trunk(launch), launch.mayBeSolved, launch.advice.trainsUntrainedJudge]).toEqual([
      'trained',
      false,
      true,
    ]);
    launch.preset({});
    launch.checkSoon();
    expect(trunk(launch)).toBe('trained');
    launch.draft.set(['models', 'policy'], start('prose'));
    launch.checkSoon();
    expect([trunk(launch), launch.mayBeSolved, launch.advice.trainsUntrainedJudge]).toEqual([
      undefined,
      true,
      false,
    ]);
  });
  it('keeps the choice of the user', () => {
    const launch = opened(start('prose'));
    launch.draft.set(['method', 'params', 'trunk'], 'trained');
    launch.checkSoon();
    expect(trunk(launch)).toBe('trained');
    launch.draft.set(['models', 'policy'], { kind: 'new', architecture: {}, tokenizer: { kind: 'bytes' } });
    launch.draft.set(['method', 'params', 'trunk'], 'frozen');
    launch.checkSoon();
    expect(trunk(launch)).toBe('frozen');
  });
});
