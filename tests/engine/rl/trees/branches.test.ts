import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import { openDevice, type Device } from '../../../../engine/runtime/index.ts';
import { stream } from '../../../../engine/random/random.ts';
import { ragged, type Table } from '../../../../engine/rl/kernel/rows.ts';
import type { StageContext } from '../../../../engine/rl/kernel/stage.ts';
import { ownStarts, restartBonus } from '../../../../engine/rl/parts/index.ts';
import type { RunSpecInput } from '../../../../engine/schema/run-spec.ts';
import { answersOf, perToken, runPart } from '../../../support/run-part.ts';
import { runToy, toyModel } from '../../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

const rowsOf = async (
  id: string,
  params: object,
  budget: { steps: number; batch: number },
  more: Partial<RunSpecInput> = {},
) => {
  const seen = await runToy(
    device,
    checkSpec({
      method: { id, params },
      models: toyModel,
      task: { kind: 'world', id: 'toy/copy', params: { length: 3 } },
      sampling: { maxTokens: 5 },
      evaluation: { problems: 0 },
      budget,
      seed: 3,
      ...more,
    }),
  );
  return seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
};

describe('answers that begin inside others', () => {
  test('cure: name their parent, keep its tokens, and train none of the given ones', async () => {
    const rows = await rowsOf('cure', { groupSize: 2, branches: 3, candidates: 2 }, { steps: 2, batch: 4 });
    // the first half of the run branches, the second has as many whole answers
    expect(rows.map(({ step }) => step)).toEqual([...Array(32).fill(1), ...Array(32).fill(2)]);
    expect(new Set(rows.map(({ id }) => id)).size).toBe(64);
    const byId = new Map(rows.map((row) => [row.id, row]));
    const branches = rows.filter(({ parent }) => parent !== undefined);
    expect(branches.length).toBeGreaterThan(0);
    expect(branches.every(({ step, startState }) => step === 1 && startState !== undefined)).toBe(true);
    for (const branch of branches) {
      const parent = byId.get(branch.parent ?? '');
      expect(parent?.promptId).toBe(branch.promptId);
      expect(parent?.parent).toBeUndefined();
      expect(branch.promptLength).toBeGreaterThan(parent?.promptLength ?? Infinity);
      expect([...branch.tokens.subarray(0, branch.promptLength)]).toEqual([
        ...(parent?.tokens.subarray(0, branch.promptLength) ?? []),
      ]);
      // the text begins with what was given
      const given = branch.given ?? { tokens: 0, characters: 0 };
      expect(given.tokens).toBe(branch.promptLength - (parent?.promptLength ?? 0));
      // special tokens have no text
      expect(given.characters).toBeLessThanOrEqual(given.tokens);
      expect(branch.completion.slice(0, given.characters)).toBe(
        parent?.completion.slice(0, given.characters),
      );
      // no answer exceeds the longest, its given beginning included
      expect(branch.tokens.length - (parent?.promptLength ?? 0)).toBeLessThanOrEqual(5);
      expect(branch.behaviorLogp.every((logp) => logp < 0)).toBe(true);
    }
  });

  test('satori: restart from earlier answers of the run, and pay for repairs', async () => {
    const rows = await rowsOf(
      'satori',
      { step: 'token', right: 0.99, refresh: 1, good: 0.25, bad: 0.5, depth: 1 },
      { steps: 20, batch: 16 },
    );
    const byId = new Map(rows.map((row) => [row.id, row]));
    const restarts = rows.filter(({ parent }) => parent !== undefined);
    expect(restarts.length).toBeGreaterThan(16);
    expect(restarts.every(({ step }) => step > 1)).toBe(true);
    for (const { parent, step, promptId, tokens, promptLength } of restarts) {
      const from = byId.get(parent ?? '');
      expect(from?.promptId).toBe(promptId);
      expect(from?.step).toBeLessThan(step);
      expect(from?.parent).toBeUndefined();
      expect([...tokens.subarray(0, promptLength)]).toEqual([
        ...(from?.tokens.subarray(0, promptLength) ?? []),
      ]);
    }
    // where no token is a special one, each is a character
    expect(restarts.filter(({ given }) => given?.characters === given?.tokens).length).toBeGreaterThan(16);
    // equal beginnings of a prompt are one start state
    const states = Map.groupBy(restarts, ({ startState }) => startState);
    for (const own of states.values())
      expect(new Set(own.map((row) => row.tokens.subarray(0, row.promptLength).join(' '))).size).toBe(1);
  });

  test('satori: a share of few prompts is met on average, that of many exactly', async () => {
    const own = {
      promptId: 9,
      problem: { promptId: 'own' },
      prompt: [1, 2],
      wrong: { tokens: [3, 4, 5], id: 'w' },
    };
    const part = ownStarts({ good: 0, bad: 0.25, depth: 1, step: 'token', mark: '' });
    const starts = async (prompts: number, draw: number): Promise<number> => {
      const table = {
        promptId: new Float64Array(prompts),
        problem: Array.from({ length: prompts }, () => ({ promptId: 'p' })),
        prompt: ragged(
          Array.from({ length: prompts }, () => [1, 2]),
          Int32Array,
        ),
      } as unknown as Table;
      const context = {
        memory: { get: () => [own], set: () => undefined },
        text: { decode: () => '', maxTokens: 8 },
        random: (purpose: string) => stream(draw, purpose),
      } as unknown as StageContext;
      const { 'row/start': start } = (await runPart(part, table, context)) as unknown as {
        'row/start': Float64Array;
      };
      return start.filter((each) => each === -1).length;
    };
    const few = await Promise.all(Array.from({ length: 200 }, (_, draw) => starts(2, draw)));
    expect(new Set(few)).toEqual(new Set([0, 1]));
    // ½ a start in each of 200 batches, within four standard errors
    expect(Math.abs(few.reduce((sum, count) => sum + count, 0) - 100)).toBeLessThan(29);
    expect(await Promise.all([1, 2, 3].map((draw) => starts(8, draw)))).toEqual([2, 2, 2]);
  });

  const guided: Partial<RunSpecInput> = {
    task: { kind: 'world', id: 'toy/steps' },
    rewards: [{ id: 'length' }],
    sampling: { maxTokens: 12 },
  };
  test.each([
    ['search-beam', { groupSize: 4, expand: 2, rounds: 4 }],
    ['search-beam', { strategy: 'tree', groupSize: 8, expand: 2, rounds: 4 }],
    ['search-descend', { groupSize: 8, levels: 2 }],
    ['search-evolve', { groupSize: 4, generations: 2, revise: '=', recombine: '=', refine: '=' }],
  ])('%s %o: candidates form trees whose roots begin at the prompt', async (id, params) => {
    const rows = await rowsOf(id, params, { steps: 1, batch: 4 }, guided);
    const byId = new Map(rows.map((row) => [row.id, row]));
    expect(byId.size).toBe(rows.length);
    const depthOf = (row: (typeof rows)[number] | undefined, left = rows.length): number => {
      if (!row || left === 0) throw new Error('a parent is missing, or is its own descendant');
      return row.parent === undefined ? 0 : 1 + depthOf(byId.get(row.parent), left - 1);
    };
    expect(Math.max(...rows.map((row) => depthOf(row)))).toBeGreaterThan(1);
    for (const row of rows) {
      const from = byId.get(row.parent ?? '');
      if (from) expect(from.promptId).toBe(row.promptId);
      else expect(row.given).toBeUndefined();
      const kept = row.given?.tokens ?? 0;
      if (id === 'search-beam' && from) expect(kept).toBe(from.tokens.length - from.promptLength);
      const start = (of: typeof from): number[] => [
        ...(of?.tokens.subarray(0, row.promptLength + kept) ?? []),
      ];
      if (kept > 0) expect(start(row)).toEqual(start(from));
      if (kept > 0) expect(row.completion.slice(0, row.given?.characters)).toContain('\n');
    }
  });

  test('later rounds name the answer that they revise', async () => {
    const params = { groupSize: 2, rounds: 2, shows: 1, shown: '{prompt}{attempts}', attempt: '{attempt}' };
    const rows = await rowsOf('search-rounds', params, { steps: 1, batch: 4 });
    const byId = new Map(rows.map((row) => [row.id, row]));
    const revised = rows.filter(({ parent }) => parent !== undefined);
    expect(revised).toHaveLength(rows.filter(({ shown }) => shown !== undefined).length);
    expect(revised.length).toBeGreaterThan(0);
    for (const { parent = '', shown, prompt, given } of revised) {
      expect(shown).toBe(`${prompt}${byId.get(parent)?.completion}`);
      expect(given).toBeUndefined();
    }
  });

  test('are refused where a world replies, and under a grammar', () => {
    const spec = { models: toyModel, method: { id: 'satori' } };
    expect(() => checkSpec({ ...spec, task: { kind: 'world', id: 'tools' } })).toThrow('replies in between');
    expect(() =>
      checkSpec({
        ...spec,
        method: { id: 'cure' },
        task: { kind: 'world', id: 'toy/copy' },
        sampling: { grammar: { kind: 'pattern', pattern: 'a*' } },
      }),
    ).toThrow('begin anew');
  });
});

test('satori: bonus and cost know the start state, and are earned at the last token', async () => {
  const { 'reward/total': total, 'credit/earned': earned } = await runPart(
    restartBonus({ bonus: 0.5, damage: 0.25, threshold: 1 }),
    {
      ...answersOf(5),
      // rule and probability of a reward model: right is above 1
      'reward/total': Float64Array.of(1.8, 0.8, 1.8, 0.8, 0.3),
      'credit/earned': perToken([0, 0, 0, 0, 0]),
      'row/start': Float64Array.of(-1, -1, 1, 1, 0),
    },
  );
  expect([...(total as Float64Array)]).toEqual([2.3, 0.8, 1.8, 0.8 - 0.25, 0.3]);
  expect((earned as { values: Float64Array }).values).toEqual(
    Float64Array.of(0, 0.5, 0, 0, 0, 0, 0, -0.25, 0, 0),
  );
});
