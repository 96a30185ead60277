import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { configOf } from '../../../engine/models/config.ts';
import { createModel, withHead, type Model } from '../../../engine/models/model.ts';
import { frozenFeatures } from '../../../engine/rl/compute/frozen-features.ts';
import { LiveModel, RowPrograms } from '../../../engine/rl/compute/live-model.ts';
import { modelGraph } from '../../../engine/rl/compute/model-graph.ts';
import { needOf } from '../../../engine/rl/tools/preflight.ts';
import { gather, ragged } from '../../../engine/rl/kernel/rows.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { lastCheckpoint, noResources, runInto, toyModel } from '../../support/toy-run.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const base = createModel(configOf({ family: 'gpt2', width: 16, layers: 2, heads: 2, context: 80 }, 30), 4);
const judge = withHead(base, 'reward', 6);
const liveOf = (model: Model) =>
  new LiveModel(new RowPrograms(device, modelGraph(model.config)), model.parameters);

/** Rows of a few long prompts with several answers each, the first answer twice; lengths differ. */
const draw = stream(5, 'rows');
const answers = Array.from({ length: 90 }, (_, r) => {
  const prompt = Array.from({ length: 40 }, (_x, t) => 1 + ((7 * (r % 6) + 3 * t) % 29));
  const answer = Array.from({ length: 1 + draw.int(35) }, () => 1 + draw.int(28));
  return { tokens: [...prompt, ...answer], mask: [...prompt.map(() => 0), ...answer.map(() => 1)] };
});
const twice = [...answers, ...answers.slice(0, 10)];
const rows = {
  tokens: ragged(twice, Int32Array, ({ tokens }) => tokens),
  mask: ragged(twice, Uint8Array, ({ mask }) => mask),
};
const filesIn = (folder: string): string[] => readdirSync(folder).map((name) => join(folder, name));

describe('features of a frozen model', () => {
  it('equal those of each row alone, although shared prompts and equal rows are computed once', async () => {
    const { values, width } = await frozenFeatures(liveOf(judge), rows, {});
    const plain = await liveOf(judge).features(rows.tokens);
    expect(width).toBe(plain.width);
    plain.values.forEach((value, at) => expect(values[at], `value ${at}`).toBeCloseTo(value, 4));
  });

  it('are computed once for a model and its rows, and reused for another model object with the same weights', async () => {
    const folder = temporaryFolder();
    const first = await frozenFeatures(liveOf(judge), rows, { folder });
    expect(filesIn(folder).length).toBeGreaterThan(1);
    // overwrite the files: the result must come from them and not from a computation
    for (const file of filesIn(folder)) {
      const { buffer, byteOffset, byteLength } = readFileSync(file);
      const marked = new Float32Array(buffer.slice(byteOffset, byteOffset + byteLength)).fill(7);
      writeFileSync(file, new Uint8Array(marked.buffer));
    }
    const again = await frozenFeatures(liveOf(withHead(base, 'reward', 99)), rows, { folder });
    expect(again.values).toHaveLength(first.values.length);
    expect(new Set(again.values)).toEqual(new Set([7]));
  });

  it('are recomputed for another model, for other rows, and when a file is incomplete', async () => {
    const folder = temporaryFolder();
    const whole = await frozenFeatures(liveOf(judge), rows, { folder });
    const count = filesIn(folder).length;
    const changed: Model = { ...judge, parameters: judge.parameters.clone() };
    changed.parameters.view(changed.parameters.slots[0].name)[0] += 1;
    await frozenFeatures(liveOf(changed), rows, { folder });
    expect(filesIn(folder)).toHaveLength(2 * count);
    const from = Uint32Array.from({ length: 3 }, (_, r) => r);
    await frozenFeatures(
      liveOf(judge),
      { tokens: gather(rows.tokens, from), mask: gather(rows.mask, from) },
      { folder },
    );
    expect(filesIn(folder)).toHaveLength(2 * count + 1);
    for (const file of filesIn(folder)) truncateSync(file, 6);
    expect((await frozenFeatures(liveOf(judge), rows, { folder })).values).toEqual(whole.values);
  });

  it('are not computed for a run’s estimate, and are reused by the next run', async () => {
    const outDir = temporaryFolder();
    const features = join(outDir, 'features');
    const task = { kind: 'world', id: 'toy/pairs' } as const;
    const trained = await runInto(
      device,
      checkSpec({
        method: { id: 'dpo' },
        models: toyModel,
        task,
        budget: { steps: 1 },
        sampling: { maxTokens: 4 },
      }),
      join(outDir, 'base'),
    );
    const resources = { ...noResources, features, checkpoints: { base: lastCheckpoint(trained.seen) } };
    const spec = checkSpec({
      method: { id: 'bradley-terry', params: { trunk: 'frozen' } },
      models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
      task,
      budget: { steps: 1, batch: 40 },
      sampling: { maxTokens: 4 },
      evaluation: { problems: 10 },
    });
    await needOf(spec, resources);
    expect(existsSync(features)).toBe(false);
    await runInto(device, spec, join(outDir, 'one'), { resources });
    const stored = filesIn(features);
    expect(stored.length).toBeGreaterThan(0);
    const { seen } = await runInto(device, spec, join(outDir, 'two'), { resources });
    expect(filesIn(features)).toEqual(stored);
    expect(seen.at(-1)).toMatchObject({ type: 'checkpoint' });
  });
});
