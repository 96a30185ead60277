/** Methods in which several models, or one in several places, write to one another. */
import { describe, expect, test } from 'vitest';
import type { Answers, Problem } from '../../../engine/rl/kernel/columns.ts';
import { ragged, type Table } from '../../../engine/rl/kernel/rows.ts';
import type { StageContext } from '../../../engine/rl/kernel/stage.ts';
import { scoreTogether } from '../../../engine/rl/parts/scorers/score-replies.ts';
import { takeTurns, writesFirst } from '../../../engine/rl/parts/samplers/take-turns.ts';

const codes = (text: string) => Int32Array.from([...text], (letter) => letter.charCodeAt(0));
const textOf = (tokens: ArrayLike<number>) => String.fromCharCode(...Array.from(tokens));
const text = {
  prompt: codes,
  encode: codes,
  decode: textOf,
  end: 0,
  context: 40,
  maxTokens: 4,
} satisfies StageContext['text'];

/** A writer that adds its name, and keeps what it was asked. */
const writer = (name: string) => {
  const asked: { prompt: string; sample: number }[] = [];
  const sample = async (
    prompts: { values: Int32Array; offsets: Uint32Array },
    _: readonly Problem[],
    sample_R: Float64Array,
  ): Promise<Answers> => {
    const texts = Array.from({ length: sample_R.length }, (_each, r) =>
      textOf(prompts.values.subarray(prompts.offsets[r], prompts.offsets[r + 1])),
    );
    texts.forEach((prompt, r) => asked.push({ prompt, sample: sample_R[r] }));
    return {
      tokens: ragged(texts, Int32Array, (prompt) => codes(prompt + name)),
      mask: ragged(texts, Uint8Array, (prompt) => [...prompt].map(() => 0).concat(1)),
      behaviorLogp: ragged(texts, Float32Array, (prompt) => [...prompt].map(() => 0).concat(-1)),
      completion: texts.map(() => name),
      ended: new Float64Array(texts.length).fill(1),
    };
  };
  return { asked, sample };
};

const problems: readonly Problem[] = ['p?', 'q?'].map((prompt) => ({
  promptId: prompt,
  prompt,
  reference: null,
}));

describe('cory', () => {
  const played = async (draw: number) => {
    const [own, partner] = [writer('A'), writer('B')];
    const stage = takeTurns({ by: 'partner', groupSize: 2, swapEvery: 3, cue: '|' });
    const inputs = {
      promptId: Float64Array.of(0, 1),
      problem: problems,
      prompt: ragged(problems, Int32Array, ({ prompt }) => codes(prompt)),
      'model/partner': partner,
    };
    const { columns } = await stage.run(inputs as never, { draw, text, sample: own.sample } as never);
    return { own, partner, columns: columns as Table };
  };

  test('shows the pioneer’s answer to the observer, with draws of its own', async () => {
    const { own, partner, columns } = await played(0);
    expect(own.asked.map(({ prompt }) => prompt)).toEqual(['p?', 'p?', 'q?', 'q?']);
    expect(partner.asked.map(({ prompt }) => prompt)).toEqual(['p?A|', 'p?A|', 'q?A|', 'q?A|']);
    expect(own.asked.map(({ sample }) => sample)).toEqual([0, 1, 0, 1]);
    expect(partner.asked.map(({ sample }) => sample)).toEqual([4, 5, 4, 5]);
    expect(columns.completion).toEqual(['A', 'A', 'A', 'A']);
    expect(columns['reply/completion']).toEqual(['B', 'B', 'B', 'B']);
    expect(columns.groupId).toEqual(Float64Array.of(0, 0, 1, 1));
  });

  test('swaps their places after so many batches', async () => {
    expect([0, 2, 3, 5, 6].map((draw) => writesFirst(draw, 3))).toEqual([true, true, false, false, true]);
    const { own, partner, columns } = await played(3);
    expect(partner.asked[0].prompt).toBe('p?');
    expect(own.asked[0].prompt).toBe('p?B|');
    expect(columns.completion).toEqual(['A', 'A', 'A', 'A']);
    expect(columns['row/first']).toEqual(new Float64Array(4));
  });

  test('rewards both with the sum of their rewards', async () => {
    const { columns } = await played(0);
    const stack = {
      id: 'total' as const,
      scorers: ['x'],
      empty: false,
      score: async ({ completion }: { completion: readonly string[] }) => {
        const value = Float64Array.from(completion, (answer) => (answer === 'A' ? 1 : 0.25));
        return { value, raw: { x: value } };
      },
    };
    const rows = { ...columns, problem: [0, 0, 1, 1].map((p) => problems[p]) };
    const scored = await scoreTogether(stack).run(rows as never, { progress: 0 } as never);
    expect(scored.columns).toEqual({ 'reward/total': new Float64Array(4).fill(1.25) });
  });
});
