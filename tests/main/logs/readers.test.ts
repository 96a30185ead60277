/** Files that the tools wrote, against what their own readers find in them (tests/support/oracles/logs.py). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { Columns } from '../../../main/logs/columns.ts';
import { findLogs } from '../../../main/logs/find.ts';
import { nameOf } from '../../../main/logs/names.ts';
import { readLogs } from '../../support/read-logs.ts';

const oracles = fileURLToPath(new URL('../../support/oracles/', import.meta.url));
const logs = join(oracles, 'logs');

type Plain = number | 'NaN' | 'Infinity' | '-Infinity';
interface Expected {
  readonly curves: { readonly [name: string]: readonly (readonly [number, Plain])[] };
  readonly name?: string;
  readonly config?: unknown;
}
const expected = JSON.parse(readFileSync(join(oracles, 'logs.json'), 'utf8')) as {
  readonly [run: string]: Expected;
};

/** The oracle's curves; those at negative steps are left out of runs. */
const curvesOf = (run: string) =>
  Object.fromEntries(
    Object.entries(expected[run].curves).map(([name, points]) => [
      name,
      points.filter(([step]) => step >= 0).map(([step, value]) => [step, Number(value)]),
    ]),
  );

describe('TensorBoard', () => {
  it('gives each folder a run: scalars, simple or as tensors of each type, as its EventAccumulator reads them', async () => {
    const runs = await readLogs(join(logs, 'tensorboard'));
    expect(runs.map(({ source }) => source.name)).toEqual(['hparams', 'seed-1', 'tensors']);
    for (const { source, curves } of runs) expect(curves).toEqual(curvesOf(`tensorboard/${source.name}`));
  });

  it('reads several files of a run in order, keeps repeated steps, and says what is no scalar', async () => {
    const [{ facts, times, source }] = await readLogs(join(logs, 'tensorboard', 'seed-1'));
    expect(source.files).toHaveLength(2);
    expect(facts).toMatchObject({
      points: 56,
      repeated: 5,
      lastStep: 29,
      damage: null,
      notFinite: { metric: 'grad_norm', step: 3 },
      startedAt: 1_700_000_000_000,
    });
    expect(facts.skipped).toEqual(
      expect.arrayContaining([
        { what: 'histograms', count: 1 },
        { what: 'texts', count: 1 },
      ]),
    );
    expect(times).toContain(1_700_001_015_000);
  });

  it('reads hyperparameters, and the arguments that Transformers writes as text', async () => {
    const [[hparams], [seed]] = await Promise.all(
      ['hparams', 'seed-1'].map((name) => readLogs(join(logs, 'tensorboard', name))),
    );
    // torch writes a truth value as a number
    expect(hparams.facts.config).toEqual({ lr: 0.1, kind: 'dpo', adapter: 1 });
    expect(seed.facts.config).toEqual({ learning_rate: 5e-7, beta: 0.1, none: Number.NaN });
  });
});

describe('Weights & Biases', () => {
  it('gives its offline file a run with name, configuration and history, nested keys by dots', async () => {
    const [{ facts, curves, bytes, source }] = await readLogs(join(logs, 'run-fixed.wandb'));
    expect(curves).toEqual(curvesOf('wandb'));
    expect(facts).toMatchObject({ name: expected.wandb.name, config: expected.wandb.config, damage: null });
    expect(facts.skipped).toEqual(
      expect.arrayContaining([{ what: 'values of the type histogram', count: 1 }]),
    );
    expect(bytes).toBe(source.bytes);
    expect(facts.startedAt).toBeGreaterThan(1_700_000_000_000);
  });
});

describe('Trackio', () => {
  it('gives each run of its database one here, in the order in which they began', async () => {
    const runs = await readLogs(join(logs, 'trackio.db'));
    expect(new Set(runs.map(({ source }) => source.name))).toEqual(new Set(['one', 'two']));
    for (const { source, curves, facts } of runs) {
      expect(curves).toEqual(curvesOf(`trackio/${source.name}`));
      expect(facts.config).toEqual({ lr: 0.1, name: source.name });
      expect(facts.startedAt).toBeGreaterThan(1_700_000_000_000);
    }
  });
});

describe('trainers', () => {
  it('Transformers: the newest checkpoint’s state is the run, under the name of the output folder', async () => {
    const runs = await readLogs(join(logs, 'dpo-output'));
    expect(runs).toHaveLength(1);
    const [{ source, facts, curves }] = runs;
    expect(source).toMatchObject({ tool: 'transformers', name: 'dpo-output' });
    expect(curves).toEqual(curvesOf('dpo-output'));
    expect(facts).toMatchObject({ totalSteps: 100, startedAt: null, config: { num_train_epochs: 1 } });
  });

  it('LLaMA-Factory: its log’s lines, without those facts that are about progress', async () => {
    const [{ source, facts, curves }] = await readLogs(join(logs, 'factory'));
    expect(source).toMatchObject({ tool: 'llama-factory', name: 'factory' });
    expect(curves).toEqual(curvesOf('factory'));
    expect(facts.totalSteps).toBe(30);
  });

  it.each(['verl.jsonl', 'verl.log'])('verl: %s, with null where JSON has no number', async (file) => {
    const [{ source, curves }] = await readLogs(join(logs, file));
    expect(source.tool).toBe('verl');
    expect(curves).toEqual(curvesOf('verl'));
  });
});

describe('a folder', () => {
  it('is walked for what it has: each run once, by its own tool', async () => {
    const found = await findLogs(logs);
    expect(found.map(({ tool, name }) => `${tool} ${name}`).sort()).toEqual([
      'llama-factory factory',
      'tensorboard hparams',
      'tensorboard seed-1',
      'tensorboard tensors',
      'trackio one',
      'trackio two',
      'transformers dpo-output',
      'verl verl',
      'verl verl',
      'wandb run-fixed',
    ]);
    expect(new Set(found.map(({ key }) => key)).size).toBe(found.length);
  });
});

describe('names', () => {
  it.each([
    ['transformers', 'eval_loss', 'eval/loss'],
    ['transformers', 'eval_rewards/margins', 'eval/rewards/margins'],
    ['tensorboard', 'train/loss', 'loss'],
    ['wandb', 'train/rewards/accuracies', 'rewards/accuracies'],
    ['wandb', 'train/reward', 'reward/mean'],
    ['wandb', 'train/completions/clipped_ratio', 'completions/truncated'],
    ['llama-factory', 'lr', 'learning_rate'],
    ['verl', 'critic/score/mean', 'reward/mean'],
    ['verl', 'actor/kl_loss', 'actor/kl_loss'],
    ['tensorboard', 'objective/kl', 'objective/kl'],
    ['json-lines', 'constructor', 'constructor'],
  ] as const)('of %s: %s is %s here', (tool, log, here) => {
    expect(nameOf(tool, log)).toBe(here);
  });

  it('of two metrics never become one', () => {
    const parts = new Set<string>();
    const columns = new Columns('tensorboard', ({ name }) => parts.add(name));
    for (const name of ['loss', 'train/loss', 'train/train/loss']) columns.point(name, 1, Number.NaN, 1);
    columns.flush();
    expect(parts).toEqual(new Set(['loss', 'train/loss', 'train/train/loss']));
  });
});
