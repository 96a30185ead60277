import { afterAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../engine/models/config.ts';
import { verifySiblings, withoutReplacement } from '../../../engine/models/generate/draft-tree.ts';
import { generate, type GenerateOptions } from '../../../engine/models/generate/generate.ts';
import { SpeculativeGenerator } from '../../../engine/models/generate/speculative.ts';
import { nextTokenLogits } from '../../../engine/models/logits.ts';
import { createModel, type Model } from '../../../engine/models/model.ts';
import { stream } from '../../../engine/random/random.ts';
import { openDevice } from '../../../engine/runtime/index.ts';
import { rejected } from '../../support/errors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

/** Σ (observed − expected)² ⁄ expected. */
const chiSquare = (counts: readonly number[], law: readonly number[]): number => {
  const total = counts.reduce((a, b) => a + b, 0);
  return counts.reduce((sum, n, at) => sum + (n - total * law[at]) ** 2 / (total * law[at]), 0);
};
const target = Float64Array.of(0.4, 0.3, 0.15, 0.1, 0.05);
const draft = Float64Array.of(0.1, 0.15, 0.2, 0.25, 0.3);
const DRAWS = 20_000;

describe('siblings without replacement', () => {
  it('are drawn one after the other from what is left', () => {
    const random = stream(1, 'siblings');
    const counts = new Array<number>(9).fill(0);
    const p = Float64Array.of(0.5, 0.3, 0.2);
    for (let i = 0; i < DRAWS; i++) {
      const [a, b] = withoutReplacement(p, 2, random);
      counts[3 * a + b]++;
    }
    const law = [0, 1, 2].flatMap((a) => [0, 1, 2].map((b) => (a === b ? 0 : (p[a] * p[b]) / (1 - p[a]))));
    const off = counts.map((n, at) => (law[at] === 0 ? n : 0));
    expect(off.reduce((a, b) => a + b)).toBe(0);
    // six cells: the 99.9 % point of χ² with 5 degrees of freedom
    const cells = [...law.keys()].filter((at) => law[at] > 0);
    expect(
      chiSquare(
        cells.map((at) => counts[at]),
        cells.map((at) => law[at]),
      ),
    ).toBeLessThan(20.5);
    expect(withoutReplacement(Float64Array.of(0, 1, 0), 3, random)).toEqual([1]);
  });

  it.each([1, 2, 3, 5])(
    '%d of them leave the law of the target, and more are accepted than of fewer',
    (k) => {
      const random = stream(2, 'verification', k);
      const counts = new Array<number>(5).fill(0);
      let accepted = 0;
      for (let i = 0; i < DRAWS; i++) {
        const { token, place } = verifySiblings(target, draft, withoutReplacement(draft, k, random), random);
        counts[token]++;
        accepted += Number(place >= 0);
      }
      // the 99.9 % point of χ² with 4 degrees of freedom
      expect(chiSquare(counts, [...target])).toBeLessThan(18.5);
      // one draft is accepted with Σ min(p, q) = 0.55
      if (k === 1) expect(accepted / DRAWS).toBeCloseTo(0.55, 1);
      else expect(accepted / DRAWS).toBeGreaterThan(0.6);
      if (k === 5) expect(accepted).toBe(DRAWS);
    },
  );

  it('of the target itself are accepted at once', () => {
    const random = stream(3, 'same');
    for (let i = 0; i < 100; i++)
      expect(verifySiblings(target, target, withoutReplacement(target, 2, random), random).place).toBe(0);
  });
});

describe('answers with a draft model', () => {
  const V = 6;
  const lively = (seed: number, layers: number): Model => {
    const config = configOf({ family: 'gpt2', width: 16, layers, heads: 2, context: 16 }, V);
    const model = createModel(config, seed);
    for (let i = 0; i < model.parameters.size; i++) model.parameters.flat[i] *= 3;
    return model;
  };
  const [own, small] = [lively(3, 2), lively(8, 1)];
  const rows = Array.from({ length: 2000 }, (_, sample) => ({
    prompt: Int32Array.of(1, 4),
    promptId: '?',
    sample,
  }));
  const options = (more: Partial<GenerateOptions> = {}): GenerateOptions => ({
    device,
    model: own,
    rows,
    temperature: 1.6,
    maxTokens: 3,
    seed: 5,
    purpose: 'drafts',
    step: 0,
    ends: [0],
    draft: { model: small, branching: [3, 2] },
    ...more,
  });
  const normalized = (logits: readonly number[]): number[] => {
    const weights = logits.map((x) => Math.exp((x - Math.max(...logits)) / 1.6));
    const total = weights.reduce((a, b) => a + b, 0);
    return weights.map((w) => w / total);
  };

  it('have the law of the sampled model over whole answers, and their log-probabilities', async () => {
    const answers = await generate(options());
    const law = new Map<string, number>();
    const grow = async (made: readonly number[], p: number): Promise<void> => {
      if (made.length === 3 || made.at(-1) === 0) {
        law.set(made.join(), p);
        return;
      }
      const next = normalized((await nextTokenLogits(device, own, [1, 4, ...made], false))[0]);
      for (let token = 0; token < V; token++) await grow([...made, token], p * next[token]);
    };
    await grow([], 1);
    expect([...law.values()].reduce((a, b) => a + b)).toBeCloseTo(1, 6);
    const counts = new Map<string, number>();
    for (const { tokens, promptLength, logp } of answers) {
      const made = tokens.subarray(promptLength).join();
      counts.set(made, (counts.get(made) ?? 0) + 1);
      expect(logp.reduce((a, b) => a + b, 0)).toBeCloseTo(Math.log(law.get(made)!), 3);
    }
    // answers expected less than ten times count as one
    const often = [...law].filter(([, p]) => p * rows.length >= 10);
    const rest = 1 - often.reduce((sum, [, p]) => sum + p, 0);
    const seen = often.map(([made]) => counts.get(made) ?? 0);
    const others = rows.length - seen.reduce((a, b) => a + b, 0);
    const cells = often.length;
    expect(cells).toBeGreaterThan(6);
    // the mean of χ² is its degrees of freedom, its variance twice that
    const measure = chiSquare([...seen, others], [...often.map(([, p]) => p), rest]);
    expect(measure).toBeLessThan(cells + 4 * Math.sqrt(2 * cells));
  });

  it('take fewer passes than tokens, and do not depend on the other rows', async () => {
    const few = options({ rows: rows.slice(0, 40), maxTokens: 8 });
    const flight = new SpeculativeGenerator(few, few.draft!);
    while (!flight.done) {
      await flight.admit();
      await flight.advance();
    }
    expect(flight.spent.tokens / flight.spent.passes).toBeGreaterThan(1.5);
    const alone = await generate({ ...few, rows: few.rows.slice(30) });
    expect(alone.map(({ tokens }) => [...tokens])).toEqual(
      flight.answers.slice(30).map(({ tokens }) => [...tokens]),
    );
  });

  it('are plain: no filters, hooks or greedy draws, and the same tokens', async () => {
    const other = createModel(
      configOf({ family: 'gpt2', width: 16, layers: 1, heads: 2, context: 16 }, 7),
      1,
    );
    const wrong = [{ filters: { topK: 2 } }, { greedy: true }, { draft: { model: other, branching: [2] } }];
    const errors = await Promise.all(wrong.map((more) => rejected(generate(options(more)))));
    expect(errors.map(({ kind, where }) => [kind, where])).toEqual(wrong.map(() => ['unsupported', 'draft']));
  });
});
