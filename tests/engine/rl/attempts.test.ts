import { describe, expect, test } from 'vitest';
import type { Columns, Problem } from '../../../engine/rl/kernel/columns.ts';
import type { StageContext } from '../../../engine/rl/kernel/stage.ts';
import { broadcast, ragged, rowOf, type Table } from '../../../engine/rl/kernel/rows.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { shownText } from '../../../engine/common/shown-answers.ts';
import { fitted } from '../../../engine/rl/parts/math/templates.ts';
import { runStages } from '../../../engine/rl/run/run-stages.ts';
import { stream } from '../../../engine/random/random.ts';
import { oracleCases } from '../../support/oracle-cases.ts';
import {
  lossAndGradient,
  oracleAnswers,
  oracleRows,
  readOracle,
  type Oracle,
} from '../../support/objective-oracle.ts';

interface Attempts extends Oracle {
  readonly referenceLogp: readonly (readonly number[])[];
  readonly advantage: readonly number[];
  readonly weight: readonly number[];
  readonly imitate: readonly number[];
  readonly divergence: readonly number[];
}
const oracle = readOracle<Attempts>('attempts');
const answers = oracleAnswers(oracle);
const table: Table = {
  ...answers,
  weight: Float64Array.from(oracle.weight),
  'credit/revised': broadcast(oracle.advantage, answers.mask),
  'row/imitate': Float64Array.from(oracle.imitate),
  'row/divergence': Float64Array.from(oracle.divergence),
  'logp/initial': oracleRows(oracle, oracle.referenceLogp),
};

test.each(Object.entries(oracleCases.attempts))('%s matches PyTorch', (name, objective) => {
  const { loss, gradient } = lossAndGradient(objective, table, oracle);
  const wanted = oracle.cases[name];
  expect(loss).toBeCloseTo(wanted.loss, 6);
  wanted.gradient.flat().forEach((slope, at) => expect(gradient[at], `entry ${at}`).toBeCloseTo(slope, 6));
  expect(Math.max(...wanted.gradient.flat().map(Math.abs))).toBeGreaterThan(1e-3);
});

/** A letter per token; token 0 ends an answer. */
const letters = '.abcdefghijklmnopqrstuvwxyz;:>';
const encode = (text: string): Int32Array => Int32Array.from([...text], (c) => letters.indexOf(c));
const decode = (ids: ArrayLike<number>): string => Array.from(ids, (id) => letters[id]).join('');

/** A context whose model answers with the next of `texts`, and keeps the prompts that it was given. */
const contextOf = (texts: readonly string[], room = 40) => {
  const asked: string[] = [];
  let next = 0;
  const context = {
    progress: 0,
    text: { prompt: encode, encode, decode, end: 0, context: room, maxTokens: 4 },
    control: { sizes: (problems: readonly Problem[], size: number) => problems.map(() => size) },
    random: (purpose: string) => stream(1, purpose),
    reasons: async (rows: readonly { readonly completion: string }[]) =>
      rows.map(({ completion }) => `${completion.length} long`),
    sample: async (prompts: Columns['prompt']) => {
      const rows = Array.from({ length: prompts.offsets.length - 1 }, (_, r) => [...rowOf(prompts, r)]);
      rows.forEach((row) => asked.push(decode(row)));
      const said = rows.map(() => texts[next++ % texts.length]);
      const whole = rows.map((row, r) => ({ row, answer: [...encode(said[r]), 0] }));
      return {
        tokens: ragged(whole, Int32Array, ({ row, answer }) => [...row, ...answer]),
        mask: ragged(whole, Uint8Array, ({ row, answer }) => [...row.map(() => 0), ...answer.map(() => 1)]),
        behaviorLogp: ragged(whole, Float32Array, ({ row, answer }) => [
          ...row.map(() => 0),
          ...answer.map(() => -1),
        ]),
        completion: said,
        ended: new Float64Array(rows.length).fill(1),
      };
    },
  };
  return { asked, context: context as unknown as StageContext };
};

const problems: readonly Problem[] = ['ab', 'cd'].map((text) => ({
  promptId: text,
  prompt: `${text}>`,
  reference: text,
}));
/** A reward of ½ for each letter in its place. */
const stack = {
  id: 'total',
  scorers: ['places'],
  empty: false,
  score: async ({ problem, completion, tokens }: Pick<Columns, 'problem' | 'completion' | 'tokens'>) => {
    // scorers see the answer behind the plain prompt
    problem.forEach(({ prompt }, r) => expect(decode(rowOf(tokens, r)).startsWith(prompt)).toBe(true));
    const value = Float64Array.from(completion, (text, r) => {
      const wanted = problem[r].reference ?? '';
      return [...wanted].filter((letter, at) => text[at] === letter).length / 2;
    });
    return { value, raw: { places: value } };
  },
} as const;
const template = { shown: '{prompt}{attempts}', attempt: '{attempt};', right: 'right', wrong: 'wrong' };
const source = {
  id: 'source',
  station: 'start',
  needs: [],
  adds: ['promptId', 'problem', 'prompt'],
  run: async () => ({
    columns: {
      promptId: Float64Array.of(1, 2),
      problem: problems,
      prompt: ragged(problems, Int32Array, ({ prompt }) => encode(prompt)),
    },
  }),
} as const;
const never = () => {
  throw new Error('no port');
};

describe('answers in rounds', () => {
  test('show earlier answers, are scored as answers to the plain prompt, and keep what was shown', async () => {
    const { asked, context } = contextOf(['ax', 'cd', 'ab', 'cx']);
    const plan = { first: 1, rounds: 1, next: part.showAll({ template, answers: 1 }) };
    const { table: rows } = await runStages(
      [source, part.sampleAttempts(stack, plan), part.gainOverShown({ penalty: 0.2 })] as never,
      never,
      context,
    );
    expect(asked).toEqual(['ab>', 'cd>', 'ab>ax;', 'cd>cd;']);
    expect(rows).toMatchObject({
      shown: ['', '', 'ab>ax;', 'cd>cd;'],
      'row/round': Float64Array.of(0, 0, 1, 1),
      'row/base': Float64Array.of(0, 0, 0.5, 1),
      'row/reward': Float64Array.of(0.5, 1, 1, 0.5),
      // R(y) − R(y′): 1 − ½ and ½ − 1
      'reward/total': Float64Array.of(0.5, 1, 0.5, -0.5),
      sample: Float64Array.of(0, 0, 1, 1),
      groupId: Float64Array.of(0, 1, 2, 3),
    });
  });

  test('gains of successive rounds add up to the last reward less the first', async () => {
    const { context } = contextOf(['xx', 'ax', 'ab', 'xb']);
    const plan = { first: 1, rounds: 3, next: part.showAll({ template, answers: 1 }) };
    const one = { ...source, run: async () => ({ columns: firstOf(await source.run()) }) };
    const { table: rows } = await runStages(
      [one, part.sampleAttempts(stack, plan), part.gainOverShown({ penalty: 0 })] as never,
      never,
      context,
    );
    const [first, ...gains] = rows['reward/total'] as Float64Array;
    expect(gains.reduce((a, b) => a + b, 0)).toBeCloseTo(0.5 - first, 12);
  });

  test('leave out the oldest answers that do not fit, and show nothing if none does', () => {
    const { context } = contextOf([], 13);
    const answersOf = (texts: readonly string[]) => texts.map((text) => ({ text, reward: 0, reason: '' }));
    const shown = (texts: readonly string[], room = 13) =>
      fitted(template, problems[0], answersOf(texts), { ...context.text, context: room })?.text;
    expect(shown(['abc', 'de', 'f'])).toBe('ab>de;f;');
    expect(shown(['abc'], 9)).toBeUndefined();
    expect(
      shownText({ ...template, attempt: '{attempt}:{verdict}:{reason};' }, problems[0], [
        { text: 'ab', reward: 1, reason: 'good' },
      ]),
    ).toBe('ab>ab:right:good;');
    const withAnswer = { ...template, shown: '{answer};{prompt}' };
    expect(fitted(withAnswer, { ...problems[0], reference: null }, [], context.text)).toBeNull();
  });

  test('map a later answer back to the plain prompt, and record the prompt that was shown', async () => {
    const { context } = contextOf(['xx', 'cx', 'ab', 'cd']);
    const plan = { first: 1, rounds: 1, next: part.showEach({ template, only: 'wrong' }) };
    const { table: rows, made } = await runStages(
      [source, part.sampleAttempts(stack, plan), part.plainPrompts] as never,
      never,
      context,
    );
    // the second first answer has reward ½, which is not wrong
    expect((made as unknown as Columns).shown).toEqual(['', '', 'ab>xx;']);
    const texts = (of: Table) => [0, 1, 2].map((r) => decode(rowOf((of as unknown as Columns).tokens, r)));
    expect(texts(made)[2]).toBe('ab>xx;ab.');
    expect(texts(rows)).toEqual(['ab>xx.', 'cd>cx.', 'ab>ab.']);
    const { mask, behaviorLogp } = rows as unknown as Columns;
    expect([...rowOf(mask, 2)]).toEqual([0, 0, 0, 1, 1, 1]);
    expect([...rowOf(behaviorLogp, 2)]).toEqual([0, 0, 0, -1, -1, -1]);
  });

  test('rescue only problems without a right answer, stage by stage', async () => {
    const { asked, context } = contextOf(['xx', 'cx', 'yy', 'ab']);
    const stages = [{ ...template, shown: 'parts:{prompt}' }, template];
    const plan = { first: 1, rounds: 2, next: part.rescue({ stages, answers: 1 }) };
    await runStages([source, part.sampleAttempts(stack, plan)] as never, never, context);
    expect(asked).toEqual(['ab>', 'cd>', 'parts:ab>', 'ab>xx;yy;']);
  });

  test('a claim beside the own answer is the right one or another answer that is wrong', () => {
    const tried = ['ab', 'xx', 'yy'].map((text) => ({
      text,
      reward: Number(text === 'ab'),
      reason: '',
      round: 0,
      scores: {},
    }));
    const next = part.showClaim({ template, answers: 2 });
    const claims = new Set<string>();
    for (let seed = 0; seed < 60; seed++) {
      const [{ shows, base }] = next(problems[0], tried, 1, stream(seed, 'claims'));
      const [own, claim] = shows;
      expect(base).toBe(own.reward);
      expect(claim.text === 'ab' || claim.text !== own.text).toBe(true);
      claims.add(`${own.text} ${claim.text}`);
    }
    expect([...claims].sort()).toEqual(
      ['ab ab', 'ab xx', 'ab yy', 'xx ab', 'xx yy', 'yy ab', 'yy xx'].sort(),
    );
    expect(next({ ...problems[0], reference: null }, tried, 1, stream(1, 'claims'))).toEqual([]);
  });

  test('EVOLVE pairs answers with answers, and refinements with refinements', async () => {
    const { context } = contextOf(['xx', 'ab', 'cx', 'cd', 'ax', 'ab', 'cd', 'xx']);
    const plan = { first: 2, rounds: 1, next: part.showOne({ template, answers: 2 }) };
    const { table: rows } = await runStages(
      [source, part.sampleAttempts(stack, plan), part.bestAgainstWorst, part.asPairs] as never,
      never,
      context,
    );
    const { completion, shown, chosen } = rows as unknown as Columns;
    expect(completion).toEqual(['ab', 'xx', 'cd', 'cx', 'ab', 'ax', 'cd', 'xx']);
    expect([...chosen]).toEqual([1, 0, 1, 0, 1, 0, 1, 0]);
    expect(shown.slice(0, 4)).toEqual(['', '', '', '']);
    expect(shown[4]).toMatch(/^ab>(xx|ab);$/);
    expect([shown[4], shown[6]]).toEqual([shown[5], shown[7]]);
  });

  test('ExPO imitates explanations of the shown answer as answers to the plain prompt', async () => {
    const { asked, context } = contextOf(['xx', 'cx', 'ab', 'xx']);
    const withAnswer = { ...template, shown: '{answer};{prompt}' };
    const plan = { first: 1, rounds: 1, next: part.showAnswer({ template: withAnswer, answers: 1 }) };
    const { table: rows } = await runStages(
      [
        source,
        part.sampleAttempts(stack, plan),
        part.keepRightRevisions({ threshold: 1 }),
        part.plainPrompts,
        part.imitateRevisions,
      ] as never,
      never,
      context,
    );
    expect(asked.slice(2)).toEqual(['ab;ab>', 'cd;cd>']);
    const { tokens } = rows as unknown as Columns;
    // the wrong explanation of the second prompt is dropped
    expect([0, 1, 2].map((r) => decode(rowOf(tokens, r)))).toEqual(['ab>xx.', 'cd>cx.', 'ab>ab.']);
    expect(rows).toMatchObject({ 'row/imitate': Float64Array.of(0, 0, 1), weight: Float64Array.of(1, 1, 0) });
  });

  test('LeTI writes what the verifier says behind a bad answer alone', async () => {
    const { context } = contextOf(['xx', 'cd']);
    const plan = { first: 1, rounds: 0, next: () => [] };
    const { table: rows } = await runStages(
      [
        source,
        part.sampleAttempts(stack, plan),
        part.appendFeedback({ good: '', bad: ':', threshold: 1 }),
      ] as never,
      never,
      { ...context, reasons: async (all) => all.map(() => 'no') },
    );
    const { tokens, mask } = rows as unknown as Columns;
    expect([0, 1].map((r) => decode(rowOf(tokens, r)))).toEqual([':ab>xx.no.', 'cd>cd.']);
    expect([0, 1].map((r) => [...rowOf(mask, r)].join(''))).toEqual(['0000111111', '000111']);
  });
});

const firstOf = ({ columns: { problem, prompt } }: Awaited<ReturnType<typeof source.run>>) => ({
  promptId: Float64Array.of(1),
  problem: [problem[0]],
  prompt: ragged([rowOf(prompt, 0)], Int32Array),
});

describe('credit of attempts', () => {
  const rows = {
    'row/round': Float64Array.of(0, 0, 1, 1),
    'row/base': Float64Array.of(0, 0, 1, 0),
    'reward/total': Float64Array.of(1, 0, 0, 1),
  };
  const rewarded = async (progress: number) =>
    (await part.rewardProgress({ bonus: 10, until: 0.3 }).run(rows as never, { progress } as StageContext))
      .columns['reward/total' as never] as Float64Array;

  test('SCoRe rewards the second attempt alone in stage 1, and its progress in stage 2', async () => {
    expect([...(await rewarded(0))]).toEqual([0, 0, 0, 1]);
    // 0 + 10 · (0 − 1) and 1 + 10 · (1 − 0)
    expect([...(await rewarded(0.5))]).toEqual([1, 0, -10, 11]);
  });

  test('Critique-GRPO keeps all first answers and the best revision of each prompt', async () => {
    const { from_R } = await part.keepBestRevision.run(
      {
        'row/round': Float64Array.of(0, 0, 1, 1, 1),
        'row/prompt': Float64Array.of(0, 1, 0, 0, 1),
        'reward/total': Float64Array.of(0, 0, 0.5, 1, 0),
      } as never,
      {} as StageContext,
    );
    expect([...(from_R ?? [])]).toEqual([0, 1, 3, 4]);
  });
});
