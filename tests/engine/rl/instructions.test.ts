import { describe, expect, test } from 'vitest';
import { frames } from '../../../engine/common/frames.ts';
import { checkSpec } from '../../../engine/index.ts';
import { meanCosines } from '../../../engine/evaluate/index.ts';
import { stream } from '../../../engine/random/random.ts';
import type { Columns, Problem } from '../../../engine/rl/kernel/columns.ts';
import type { StageContext } from '../../../engine/rl/kernel/stage.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import type { WriterPlan } from '../../../engine/rl/parts/context/write-instructions.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { caught } from '../../support/errors.ts';
import { toyModel } from '../../support/toy-run.ts';

const world = openWorldById('toy/errands');
const wordings = world.wordings ?? expect.unreachable('a world of instructions');
const problems = (from: number, count: number): Problem[] =>
  Array.from({ length: count }, (_none, at) => world.problem('train', from + at, 1));
const encode = (text: string): Int32Array => Int32Array.from([...text], (c) => c.charCodeAt(0));

/** A writer, whose rounds remember what failed: `isRight` says which instructions succeed. */
const writer = (
  plan: Partial<WriterPlan>,
  { context = 200, seed = 1, maxTokens = 6, by = wordings } = {},
) => {
  const memory = new Map<string, unknown>();
  let round = 0;
  const write = part.writeInstructions(by, {
    instructions: 10,
    sets: 1,
    style: 'challenge',
    follow: 0.8,
    ...plan,
  });
  return async (given: readonly Problem[], isRight: (text: string) => boolean = () => true) => {
    const now = {
      memory,
      text: { prompt: encode, encode, context, maxTokens },
      random: (purpose: string) => stream(seed, purpose, round),
    } as unknown as StageContext;
    round++;
    const { columns, raw } = await write.run({ problem: given } as never, now);
    const { problem, shown } = columns as Pick<Columns, 'problem' | 'shown'>;
    const texts = problem.map(({ prompt }, at) => shown[at] || prompt);
    const rewards = Float64Array.from(texts, (text) => Number(isRight(text)));
    await part.rememberFailures.run({ problem, shown, 'reward/total': rewards } as never, now);
    return { problem, shown, texts, likeness: raw?.likeness ?? new Float64Array() };
  };
};
const kindsIn = (texts: readonly string[], kind: string): number =>
  texts.filter((text) => wordings.kindsOf(text).includes(kind)).length / texts.length;

describe('a writer of instructions', () => {
  test('writes sets that mean what their tasks mean, and asks for the same tasks in each round', async () => {
    const round = writer({});
    const given = problems(0, 25);
    const meant = [...Array(10).fill(given[0]), ...Array(10).fill(given[1]), ...Array(5).fill(given[2])];
    for (const each of [given, problems(100, 25)]) {
      const { texts } = await round(each);
      expect(texts.map((text) => wordings.answer(text))).toEqual(
        meant.map(({ prompt }: Problem) => wordings.answer(prompt)),
      );
    }
  });

  test('says the task as it is, or with one change, or with several', async () => {
    const given = problems(0, 200);
    const said = async (style: WriterPlan['style']) => (await writer({ style })(given)).texts;
    const changes = async (style: WriterPlan['style']) =>
      new Set((await said(style)).map((text) => wordings.kindsOf(text).length));
    expect(await said('original')).toEqual(
      given.slice(0, 20).flatMap(({ prompt }) => Array(10).fill(prompt)),
    );
    expect(await changes('rephrase')).toEqual(new Set([1]));
    expect(Math.max(...(await changes('challenge')))).toBeGreaterThan(2);
  });

  test('follows earlier failures, unless it is shown none', async () => {
    const fails = (text: string) => !wordings.kindsOf(text).includes('negation');
    const share = async (follow: number) => {
      const round = writer({ follow });
      const shares: number[] = [];
      for (let r = 0; r < 3; r++)
        shares.push(kindsIn((await round(problems(0, 300), fails)).texts, 'negation'));
      return shares;
    };
    const [first, second, third] = await share(1);
    expect(first).toBeCloseTo(0.3, 1);
    expect(second).toBeGreaterThan(0.8);
    expect(third).toBeGreaterThan(0.8);
    for (const each of await share(0)) expect(each).toBeCloseTo(0.3, 1);
  });

  test('keeps the set that is least alike over all pairs', async () => {
    expect(
      part.leastAlike([
        ['aaaa', 'aaab'],
        ['abcd', 'wxyz'],
        ['aaaa', 'aaaa'],
      ]),
    ).toEqual(['abcd', 'wxyz']);
    const mean = (values: ArrayLike<number>) => Array.from(values).reduce((a, b) => a + b, 0) / values.length;
    const alike = async (sets: number) => mean((await writer({ sets })(problems(0, 200))).likeness);
    expect(await alike(8)).toBeLessThan((await alike(1)) - 0.03);
  });

  test('keeps the task’s own words where nothing else fits the context', async () => {
    const [task] = problems(0, 1);
    const { texts } = await writer({}, { context: task.prompt.length })([task]);
    expect(texts).toEqual([task.prompt]);
  });
});

test('the mean cosine of each text to the others is that over all pairs', () => {
  // runs of three: one of each is shared by the first two, whose vectors have two and one entries
  expect([...meanCosines(['abcd', 'abc', 'xyz'])].map((value) => value.toFixed(6))).toEqual([
    (1 / Math.SQRT2 / 2).toFixed(6),
    (1 / Math.SQRT2 / 2).toFixed(6),
    '0.000000',
  ]);
  expect([...meanCosines(['abc'])]).toEqual([0]);
});

describe('a writer of text around prompts', () => {
  const [task] = problems(0, 1);

  test('keeps the problem, whose verifier reads the plain prompt, and shows more than that', async () => {
    const { problem, shown, texts } = await writer({}, { context: 2000, by: frames })(problems(0, 20));
    expect(problem.slice(0, 10)).toEqual(Array(10).fill(task));
    expect(texts.every((text, at) => text.includes(problem[at].prompt))).toBe(true);
    expect(new Set(shown).size).toBeGreaterThan(5);
  });

  test('follows what failed, by what was shown', async () => {
    const round = writer({ follow: 1 }, { context: 2000, by: frames });
    const share = (texts: readonly string[]) =>
      texts.filter((text) => frames.kindsOf(text).includes('doubt')).length / texts.length;
    const isRight = (text: string) => !frames.kindsOf(text).includes('doubt');
    const [first, second] = [await round(problems(0, 300), isRight), await round(problems(0, 300), isRight)];
    expect(share(first.texts)).toBeCloseTo(0.3, 1);
    expect(share(second.texts)).toBeGreaterThan(0.8);
  });
});

test('an instruction whose right answer is longer than answers may be is not asked', async () => {
  const sums = openWorldById('arithmetic').wordings ?? expect.unreachable('arithmetic');
  const plain = { ...problems(0, 1)[0], prompt: '7+4*3=?' };
  const said = async (maxTokens: number) =>
    (await writer({}, { by: sums, maxTokens })(Array<Problem>(200).fill(plain))).texts;
  const longest = (texts: readonly string[]) =>
    Math.max(...texts.map((text) => sums.worked(text)?.length ?? Infinity));
  expect(longest(await said(60))).toBeGreaterThan(22);
  expect(longest(await said(22))).toBeLessThan(22);
});

test('a task without a verifier is refused', () => {
  const check = () =>
    checkSpec({ method: { id: 'ert' }, models: toyModel, task: { kind: 'dataset', datasetId: 'd' } });
  expect(caught(check)).toMatchObject({ kind: 'invalid-input', where: 'rewards' });
});

test('a world’s verifier judges a probe without being asked for', () => {
  const { rewards } = checkSpec({
    method: { id: 'ert' },
    models: toyModel,
    task: { kind: 'world', id: 'toy/copy' },
  });
  expect(rewards.map(({ id }) => id)).toEqual(['verifier']);
});
