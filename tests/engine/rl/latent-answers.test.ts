/** Directions of answers: whether similar ones give similar answers, within each prompt. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { latentAnswers, type LatentProblem } from '../../../engine/rl/evaluation/latent-answers.ts';
import { checkSpec } from '../../../engine/rl/run/check-spec.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { stream } from '../../../engine/random/random.ts';
import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import { runToy } from '../../support/toy-run.ts';

/** `n` problems of eight answers with latents of two numbers; `write` makes the text of one. */
const problems = (
  n: number,
  write: (latent: readonly number[], p: number, s: number) => string,
): LatentProblem[] => {
  const random = stream(5, 'latents of answers');
  return Array.from({ length: n }, (_p, p) => ({
    prompt: `problem ${p}`,
    answers: Array.from({ length: 8 }, (_s, s) => {
      const latent = [random.normal(), random.normal()];
      const text = write(latent, p, s);
      return { correct: text === 'right', gold: Number(text === 'right'), text, latent };
    }),
  }));
};

describe('answers with latents', () => {
  it('are alike where their latents are, if the sign of a latent chooses the answer', () => {
    const found = latentAnswers(
      problems(8, ([first]) => (first > 0 ? 'right' : 'wrong')),
      1,
    );
    expect(found?.answers).toHaveLength(64);
    for (const { prompt, text, correct } of found?.answers ?? [])
      expect(found?.texts[prompt][text]).toBe(correct ? 'right' : 'wrong');
    expect(found?.alike?.r).toBeGreaterThan(0.3);
    expect(found?.alike?.p).toBeLessThan(0.005);
    expect(found?.rewards?.p).toBeLessThan(0.005);
    // a text that differs is a reward that does
    expect(found?.rewards?.r).toBeCloseTo(found?.alike?.r ?? Number.NaN, 12);
  });
  it('are not called alike for what prompts have in common', () => {
    // all answers to a prompt are the same, and prompts differ: within a prompt there is no difference
    const found = latentAnswers(
      problems(8, (_latent, p) => `answer ${p}`),
      1,
    );
    expect(found?.alike).toBeNull();
    const random = stream(9, 'texts');
    const chance = latentAnswers(
      problems(8, (_latent, p) => `answer ${p} ${random.int(2)}`),
      1,
    );
    expect(Math.abs(chance?.alike?.r ?? 1)).toBeLessThan(0.2);
    expect(chance?.alike?.p).toBeGreaterThan(0.05);
  });
  it('are kept of whole prompts, at most 128 answers, with long texts cut', () => {
    const found = latentAnswers(
      problems(40, (_latent, _p, s) => `${s} ${'x'.repeat(400)}`),
      1,
    );
    expect(found?.prompts).toHaveLength(16);
    expect(found?.answers).toHaveLength(128);
    expect(found?.texts[0]).toHaveLength(8);
    expect(found?.texts[0][0]).toHaveLength(200);
    expect(found?.texts[0][0]).toMatch(/…$/);
  });
  it('are nothing without latents', () => {
    const without = problems(2, () => 'a').map(({ prompt, answers }) => ({
      prompt,
      answers: answers.map(({ latent: _latent, ...rest }) => rest),
    }));
    expect(latentAnswers(without, 1)).toBeNull();
    expect(latentAnswers([], 1)).toBeNull();
  });
});

describe('an evaluation', () => {
  let device: Device;
  beforeAll(async () => {
    device = await openDevice({ id: 'cpu', threads: 1 });
  });
  afterAll(() => device.close());
  const evaluated = async (method: object): Promise<PolicyEvaluation> => {
    const seen = await runToy(
      device,
      checkSpec({
        method,
        models: {
          policy: {
            kind: 'new',
            architecture: { width: 16, layers: 1, heads: 2, context: 16 },
            tokenizer: { kind: 'characters' },
          },
        },
        task: { kind: 'world', id: 'toy/copy', params: { letters: 4, length: 2 } },
        rewards: [{ id: 'verifier' }],
        sampling: { maxTokens: 4 },
        budget: { steps: 1, batch: 2 },
        evaluation: { problems: 4, samples: 4 },
        seed: 1,
      }),
    );
    const last = seen.findLast((event) => event.type === 'result' && event.kind === 'evaluation');
    if (last?.type !== 'result' || last.kind !== 'evaluation') throw new Error('not evaluated');
    return last.value;
  };
  it('of a policy that reads directions has each answer with its own', async () => {
    const { latents } = await evaluated({ id: 'rle-language', params: { groupSize: 2, size: 3 } });
    expect(latents?.prompts).toHaveLength(4);
    expect(latents?.answers).toHaveLength(16);
    const directions = latents?.answers.map(({ latent }) => latent) ?? [];
    for (const direction of directions) {
      expect(direction).toHaveLength(3);
      expect(Math.hypot(...direction)).toBeCloseTo(1, 5);
    }
    expect(new Set(directions.map(String)).size).toBe(16);
  });
  it('of any other policy has none', async () => {
    expect(await evaluated({ id: 'grpo', params: { groupSize: 2 } })).not.toHaveProperty('latents');
  });
});
