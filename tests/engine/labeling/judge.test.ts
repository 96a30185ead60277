import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { fitJudge, orderQueue } from '../../../engine/labeling/index.ts';
import { featuresAt } from '../../../engine/labeling/stored-features.ts';
import { stream } from '../../../engine/random/random.ts';
import type { StoredFeatures } from '../../../engine/schema/judge.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';

const WIDTH = 3;
const COUNT = 200;

/** Features of 200 pairs in two files, of which the first feature decides; pair 7 has none. */
function featuresForTest(): { features: StoredFeatures; rows: readonly number[][] } {
  const draw = stream(5, 'features');
  const rows = Array.from({ length: COUNT }, (_none, at) =>
    Array.from({ length: WIDTH }, () => (at === 7 ? NaN : Math.fround(2 * draw.next() - 1))),
  );
  const folder = temporaryFolder();
  const files = [
    { path: join(folder, 'b'), first: 128, count: COUNT - 128 },
    { path: join(folder, 'a'), first: 0, count: 128 },
  ];
  for (const { path, first, count } of files)
    writeFileSync(path, new Uint8Array(Float32Array.from(rows.slice(first, first + count).flat()).buffer));
  return { features: { files, width: WIDTH }, rows };
}

const labelsOf = (rows: readonly number[][], positions: readonly number[]) => ({
  positions: Float64Array.from(positions),
  targets: Float64Array.from(positions, (at) => Number(rows[at][0] > 0)),
  prompts: positions.map(String),
});
const upTo = (count: number): number[] => Array.from({ length: count }, (_none, at) => at);

describe('features in files', () => {
  it('are read at any positions, in their order; pairs that were not read are absent', async () => {
    const { features, rows } = featuresForTest();
    const { values, present } = await featuresAt(features, [150, 7, 3, 127, 128, 500]);
    expect([...present]).toEqual([1, 0, 1, 1, 1, 0]);
    expect([...values.subarray(0, WIDTH)]).toEqual(rows[150]);
    expect([...values.subarray(2 * WIDTH, 5 * WIDTH)]).toEqual([rows[3], rows[127], rows[128]].flat());
  });

  it('must be there, and have the size of their rows', async () => {
    const { features } = featuresForTest();
    const [file] = features.files;
    const of = (changed: object) =>
      rejected(featuresAt({ ...features, files: [{ ...file, ...changed }] }, [130]));
    expect(await of({ path: `${file.path}-gone` })).toMatchObject({ kind: 'not-found' });
    expect(await of({ count: 5 })).toMatchObject({ kind: 'invalid-input', where: file.path });
  });
});

describe('a judge of labels', () => {
  it('learns what decides, leaves out labels without features, and has a learning curve', async () => {
    const { features, rows } = featuresForTest();
    const fit = await fitJudge(features, labelsOf(rows, upTo(120)), 1);
    expect(fit.leftOut).toBe(1);
    expect(fit.heldout?.accuracy).toBeGreaterThan(0.9);
    expect(fit.curve.map(({ labels }) => labels)).toEqual([25, 50, 100, 119]);
    expect(fit.curve.at(-1)).toEqual(fit.heldout);
    expect(fit.probabilities[7]).toBeNaN();
    expect(Math.abs(fit.weights[0])).toBeGreaterThan(3 * Math.abs(fit.weights[1]));
  });

  it('has no accuracy if all labels are about one prompt', async () => {
    const { features, rows } = featuresForTest();
    const labels = { ...labelsOf(rows, upTo(60)), prompts: upTo(60).map(() => 'same') };
    const fit = await fitJudge(features, labels, 1);
    expect([fit.heldout, fit.curve]).toEqual([null, []]);
    expect(fit.probabilities.every(Number.isNaN)).toBe(true);
  });

  it('needs two labels with features', async () => {
    const { features, rows } = featuresForTest();
    const error = await rejected(fitJudge(features, labelsOf(rows, [7, 8]), 1));
    expect(error).toMatchObject({ kind: 'invalid-input' });
  });

  it('orders unlabeled items by its doubt, without those that have no features', async () => {
    const { features, rows } = featuresForTest();
    const fit = await fitJudge(features, labelsOf(rows, upTo(100)), 1);
    const positions = Float64Array.from(upTo(COUNT));
    const order = (most: number, params = {}) =>
      orderQueue(features, fit, {
        id: 'uncertain',
        params,
        seed: 1,
        positions,
        labeled: Uint8Array.from(positions, (at) => Number(at >= 8 && at < 100)),
        most,
      });
    const all = await order(COUNT);
    expect(all).toHaveLength(107);
    expect([...all].every((at) => at < 7 || at >= 100)).toBe(true);
    const doubt = (at: number) => Math.abs(rows[at].reduce((sum, x, f) => sum + x * fit.weights[f], 0));
    expect(doubt(all[0])).toBeLessThan(doubt(all[106]));
    expect(await order(3)).toEqual(all.slice(0, 3));
    const plain = {
      id: 'uncertain',
      params: {},
      seed: 1,
      positions,
      labeled: new Uint8Array(COUNT),
      most: 3,
    };
    expect((await rejected(orderQueue(features, null, plain))).kind).toBe('unsupported');
  });
});
