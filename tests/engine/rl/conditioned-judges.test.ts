import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { AnswerRow } from '../../../engine/rewards/index.ts';
import { openStack } from '../../../engine/rewards/stack.ts';
import type { Columns } from '../../../engine/rl/kernel/columns.ts';
import { ragged, rowOf } from '../../../engine/rl/kernel/rows.ts';
import type { Stage } from '../../../engine/rl/kernel/stage.ts';
import { openTextScorer, type OpenedJudge } from '../../../engine/rl/evaluation/model-scorers.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { stream } from '../../../engine/random/random.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { lastCheckpoint, runInto, sanitySpec } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-conditions-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const trained = async (id: string): Promise<OpenedJudge> => {
  const method = methods.find((each) => each.id === id);
  if (!method) throw new Error(`there is no ${id}`);
  const { seen } = await runInto(device, sanitySpec(method, 1), join(folder, id));
  return openTextScorer(device, lastCheckpoint(seen));
};
const rowsOf = (prompt: string, ...completions: string[]): AnswerRow[] =>
  completions.map((completion) => ({
    promptId: 'p',
    prompt,
    completion,
    tokens: completion.length + 1,
    stopReason: 'end',
  }));

/** Letters as character codes; 0 ends an answer. */
const codes = (text: string) => Array.from(text, (letter) => letter.charCodeAt(0));
const context = {
  text: {
    prompt: (text: string) => Int32Array.from(codes(text)),
    decode: (ids: ArrayLike<number>) => String.fromCharCode(...Array.from(ids)),
    end: 0,
    context: 40,
    maxTokens: 8,
  },
  random: (purpose: string) => stream(1, purpose),
};
const run = async (stage: Stage, columns: object): Promise<{ columns: Columns; from: number[] }> => {
  const made = await stage.run(columns as never, context as never);
  return { columns: made.columns as unknown as Columns, from: [...(made.from_R ?? [])] };
};
const pairsOf = (prompt: string, ...answers: string[]) => ({
  problem: answers.map(() => ({ promptId: 'p', prompt, reference: null })),
  tokens: ragged(answers, Int32Array, (answer) => [...codes(prompt + answer), 0]),
  mask: ragged(answers, Uint8Array, (answer) => [
    ...codes(prompt).map(() => 0),
    ...codes(answer).map(() => 1),
    1,
  ]),
  agreement: new Float64Array(answers.length).fill(1),
});
const textsOf = ({ tokens }: Pick<Columns, 'tokens'>) =>
  Array.from({ length: tokens.offsets.length - 1 }, (_, r) =>
    String.fromCharCode(...rowOf(tokens, r)).replaceAll('\0', '.'),
  );

test('toy/users: comparisons tell the group, whose pairs and verdicts are the reverse of the other’s', () => {
  const world = openWorldById('toy/users');
  const verdict = (prompt: string, answer: string) => world.verify(prompt, answer).reward;
  expect([verdict('ab>cb,aa>bc,abc?', 'aa'), verdict('ab>cb,aa>bc,abc?', 'ac')]).toEqual([1, 0.5]);
  expect([verdict('cb>ab,bc>aa,abc?', 'aa'), verdict('cb>ab,bc>aa,abc?', 'bc')]).toEqual([0, 1]);
  const groups = { more: 0, fewer: 0 };
  for (let at = 0; at < 200; at++) {
    const { prompt, a, b, better } = world.preference?.('train', at, 1) ?? { prompt: '', a: '', b: '' };
    const [first, second] = better === 'a' ? [a, b] : [b, a];
    expect(verdict(prompt, first)).toBeGreaterThan(verdict(prompt, second));
    groups[world.problem('train', at, 1).meta.group as 'more' | 'fewer']++;
  }
  expect(Math.min(groups.more, groups.fewer)).toBeGreaterThan(70);
});

test('vpl reads the user’s comparisons apart from the question with either answer', async () => {
  const { columns, from } = await run(
    part.userContext({ separator: ',', latents: 2 }),
    pairsOf('a>b,x?', 'yes', 'no'),
  );
  expect(textsOf(columns)).toEqual(['a>b,.', 'x?yes.', 'x?no.']);
  expect(from).toEqual([0, 0, 1]);
  expect([...rowOf(columns.mask, 1)]).toEqual([0, 0, 1, 1, 1, 1]);
  expect(new Set(columns['row/noise-0']).size).toBe(1);
  expect(columns['row/noise-0'][0]).not.toBe(columns['row/noise-1'][0]);
  const plain = await run(part.userContext({ separator: ',', latents: 1 }), pairsOf('x?', 'yes', 'no'));
  expect(textsOf(plain.columns)).toEqual(['.', 'x?yes.', 'x?no.']);
});

test('a trained vpl prefers by the user in the prompt', async () => {
  const judge = await trained('vpl');
  const [most, least] = await judge.score(rowsOf('aa>bc,ab>cb,abc?', 'aa', 'bc'));
  expect(most).toBeGreaterThan(least);
  const [more, fewer] = await judge.score(rowsOf('bc>aa,cb>ab,abc?', 'aa', 'bc'));
  expect(more).toBeLessThan(fewer);
});

const texts = { principles: ['L', 'A'], negation: '!', end: ':' };
test('salmon prefers by the principle that separates the answers most, and against a negated one', async () => {
  const stack = {
    id: 'total' as const,
    scorers: ['length', 'letters'],
    empty: false,
    score: async ({ completion }: Pick<Columns, 'completion'>) => ({
      value: new Float64Array(completion.length),
      raw: {
        length: Float64Array.from(completion, (text) => text.length),
        letters: Float64Array.from(completion, (text) => text.split('a').length - 1),
      },
    }),
  };
  // per scorer the pairs differ by (4, 0) and by (1, −1): in root mean squares (√2, 0) and (1, −1)
  const answers = ['xxaxxx', 'xx', 'bb', 'ab'];
  const seen = new Set<string>();
  for (let seed = 0; seed < 40; seed++) {
    const made = await part
      .byPrinciple(stack, texts)
      .run(
        pairsOf('q?', ...answers) as never,
        { ...context, random: (purpose: string) => stream(seed, purpose) } as never,
      );
    const rows = textsOf(made.columns as unknown as Columns);
    const { agreement } = made.columns as unknown as Columns;
    [0, 2].forEach((r) => {
      const [front] = rows[r].split(':');
      seen.add(front);
      const [length, letters] = ['L', 'A'].map((name) =>
        front.includes(`!${name}`) ? -1 : front.includes(name) ? 1 : 0,
      );
      const gap = r === 0 ? (length === 0 ? letters : length) : -letters;
      expect(agreement[r], rows[r]).toBe(gap === 0 ? 0.5 : 1);
      const [first, second] = gap < 0 ? [answers[r + 1], answers[r]] : [answers[r], answers[r + 1]];
      expect(rows.slice(r, r + 2)).toEqual([`${front}:q?${first}.`, `${front}:q?${second}.`]);
    });
  }
  expect([...seen].sort()).toEqual(['!A', '!L', '!L!A', '!LA', 'A', 'L', 'L!A', 'LA']);
  expect(() => part.byPrinciple(stack, { ...texts, principles: ['L'] })).toThrow(/2 scorers, and 1/);
});

test('a trained salmon reverses its order under the negated principle, also as a reward', async () => {
  const judge = await trained('salmon');
  const rows = rowsOf('abc?', 'aaa', 'bcb');
  const [most, least] = await judge.score(rows);
  expect(most).toBeGreaterThan(least);
  const stack = await openStack(
    [{ id: 'reward-model', weight: 1, params: { checkpointId: 'judge', condition: '!+:' } }],
    { checkpoint: () => Promise.resolve(judge) },
  );
  const { total } = await stack.score(rows);
  expect(total[0]).toBeLessThan(total[1]);
});

test('goal-reward: the third row of a pair is a beginning of the chosen answer', async () => {
  const { columns, from } = await run(part.partialAnswers, pairsOf('q?', 'abcdef', 'xy', 'a', 'b'));
  const rows = textsOf(columns);
  expect(from).toEqual([0, 1, 0, 2, 3, 2]);
  expect([rows[0], rows[1], rows[3], rows[4]]).toEqual(['q?abcdef.', 'q?xy.', 'q?a.', 'q?b.']);
  expect(rows[2]).toMatch(/^q\?a[a-f]*$/);
  expect('q?abcdef').toContain(rows[2]);
  expect(rows[5]).toBe('q?a');
});

test('dpa: the reward along a direction is cos θ · reward + sin θ · length', async () => {
  expect([0, Math.PI / 4, -Math.PI / 6].map(part.directionText)).toEqual([
    '100,+000;',
    '071,+071;',
    '087,-050;',
  ]);
  const { columns } = await run(part.alongDirection, {
    mask: ragged(
      [
        [0, 1, 1],
        [0, 1, 1, 1, 1],
      ],
      Uint8Array,
    ),
    'reward/total': Float64Array.of(1, 0.5),
    'row/direction': Float64Array.of(0, -Math.PI / 6),
  });
  expect(columns['reward/total'][0]).toBeCloseTo(1, 12);
  expect(columns['reward/total'][1]).toBeCloseTo((Math.sqrt(3) / 2) * 0.5 - 0.5 * (4 / 8), 12);
});
