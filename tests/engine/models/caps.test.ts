import { afterAll, describe, expect, it } from 'vitest';
import { generate, type Guidance } from '../../../engine/models/generate/generate.ts';
import type { Model } from '../../../engine/models/model.ts';
import { guidanceBy } from '../../../engine/rl/compute/decoding.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { fixedModel } from '../../support/fixed-model.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

const never = -1e4;
/** The first tokens of 400 answers: how often each is drawn, and the log-probability and dropped share. */
const drawn = async (model: Model, guidance: Guidance, temperature = 1) => {
  const rows = Array.from({ length: 400 }, (_, sample) => ({
    prompt: Int32Array.of(1),
    promptId: '?',
    sample,
  }));
  const answers = await generate({
    device,
    model,
    rows,
    guidance,
    temperature,
    maxTokens: 1,
    seed: 4,
    purpose: 'caps',
    step: 0,
  });
  const found = new Map<number, { count: number; p: number; dropped: number }>();
  for (const { tokens, logp, dropped } of answers)
    found.set(tokens[1], {
      count: (found.get(tokens[1])?.count ?? 0) + 1,
      p: Math.exp(logp[0]),
      dropped: dropped?.[0] ?? 0,
    });
  return found;
};
const logOf = (...p: number[]) => [never, never, never, ...p.map(Math.log)];

describe('caps by the value of dead ends', () => {
  // σ(q) = 0.9, 0.5 and 0: the text ends badly after the first token in nine of ten cases
  const ends = fixedModel([0, 0, 0, Math.log(9), 0, -40]);
  const base = fixedModel(logOf(0.6, 0.3, 0.1));

  it('hold every token to the probability of a good end, and share the rest: π ∝ min(π, 1 + Q)', async () => {
    // min(0.6, 0.1), min(0.3, 0.5), min(0.1, 1) = 0.1, 0.3, 0.1
    const found = await drawn(base, guidanceBy({ how: 'cap', weight: 1 }, ends));
    for (const [token, p] of [
      [3, 0.2],
      [4, 0.6],
      [5, 0.2],
    ] as const) {
      expect(found.get(token)?.p).toBeCloseTo(p, 5);
      // within four standard errors of 400 draws
      expect(Math.abs(found.get(token)!.count - 400 * p)).toBeLessThan(4 * Math.sqrt(400 * p * (1 - p)));
    }
  });
  it('are powers by their weight, and nothing at weight 0', async () => {
    const found = await drawn(base, guidanceBy({ how: 'cap', weight: 0 }, ends));
    expect(found.get(3)?.p).toBeCloseTo(0.6, 5);
    // caps 0.1 ** 2, 0.5 ** 2, 1: 0.01, 0.25, 0.1
    const squared = await drawn(base, guidanceBy({ how: 'cap', weight: 2 }, ends));
    expect(squared.get(4)?.p).toBeCloseTo(0.25 / 0.36, 5);
  });
  it('leave something to draw where every token is a dead end', async () => {
    const all = fixedModel([60, 60, 60, 60, 60, 60]);
    const found = await drawn(base, guidanceBy({ how: 'cap', weight: 1 }, all));
    for (const { p } of found.values()) expect(p).toBeGreaterThan(0);
  });
});

describe('the nucleus of a second model', () => {
  const lagging = fixedModel(logOf(0.5, 0.3, 0.2));
  const policy = fixedModel(logOf(0.2, 0.2, 0.6));
  const nucleus = (share: number): Guidance => ({ model: lagging, own: 1, theirs: 0, nucleus: share });

  it('is all that is drawn, with the policy’s own log-probabilities and the mass of the rest', async () => {
    const found = await drawn(policy, nucleus(0.7));
    expect([...found.keys()].sort()).toEqual([3, 4]);
    for (const { p, dropped } of found.values()) {
      expect(p).toBeCloseTo(0.2, 5);
      expect(dropped).toBeCloseTo(0.6, 5);
    }
    expect(Math.abs(found.get(3)!.count - 200)).toBeLessThan(40);
  });
  it('is taken at the sampling temperature', async () => {
    // at ½ the copy's probabilities are 25 : 9 : 4 of 38
    expect([...(await drawn(policy, nucleus(0.65), 0.5)).keys()]).toEqual([3]);
    expect([...(await drawn(policy, nucleus(1))).keys()].sort()).toEqual([3, 4, 5]);
  });
  it('has a mask whose score is the policy’s in expectation: advantages sum to nothing under it', () => {
    // three tokens, the last one outside; rewards 1 and 0. ∇ of the masked log-probability in the logits is
    // 1[a] − masked, of the own one 1[a] − own; advantages of the masked policy are r − Σ masked · r
    const [own, masked, reward] = [
      [0.2, 0.2, 0.6],
      [0.5, 0.5, 0],
      [1, 0, 0],
    ];
    const value = masked.reduce((sum, p, a) => sum + p * reward[a], 0);
    const gradient = (p: readonly number[]) =>
      own.map((_, i) =>
        masked.reduce((sum, m, a) => sum + m * (reward[a] - value) * (Number(a === i) - p[i]), 0),
      );
    gradient(own).forEach((x, i) => expect(x).toBeCloseTo(gradient(masked)[i], 12));
  });
});
