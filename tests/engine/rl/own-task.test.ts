import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { promptIdOf } from '../../../engine/data/index.ts';
import { splitOf } from '../../../engine/data/split.ts';
import { checkSpec } from '../../../engine/index.ts';
import { verifiable } from '../../../engine/rl/tasks/kinds/verifiable.ts';
import { loadTaskData } from '../../../engine/rl/tasks/load-task-data.ts';
import type { PolicyEvaluation } from '../../../engine/schema/evaluation.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { Demonstration } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { caught, rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { found, noResources, runToy } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** 64 prompts, each a word to spell in digits, as in a user's file. */
const digits = 'abcd';
const rows: Demonstration[] = Array.from({ length: 64 }, (_, i) => {
  const prompt = `${digits[i >> 4]}${digits[(i >> 2) & 3]}${digits[i & 3]}=`;
  const reference = String([...prompt.slice(0, 3)].reduce((sum, letter) => sum + digits.indexOf(letter), 0));
  return { promptId: promptIdOf(prompt), prompt, answer: reference, reference, correct: true };
});

const fileOf = (lines: readonly object[]): { path: string; resources: Resources } => {
  const path = join(temporaryFolder(), 'rows.jsonl');
  writeFileSync(path, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return { path, resources: { ...noResources, datasets: { mine: path } } };
};
const spec = (own: Partial<RunSpecInput> = {}): RunSpecInput => ({
  method: { id: 'grpo', params: { groupSize: 4 } },
  task: { kind: 'dataset', datasetId: 'mine', heldout: 0.25 },
  rewards: [{ id: 'match/numeric' }],
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 32, layers: 1, heads: 2, context: 24 },
      tokenizer: { kind: 'characters' },
    },
  },
  sampling: { maxTokens: 3 },
  budget: { steps: 2, batch: 4 },
  evaluation: { problems: 10, samples: 4 },
  optimizer: { learningRate: 3e-3 },
  ...own,
});
const run = (own: Partial<RunSpecInput>, lines: readonly object[] = rows) =>
  runToy(device, checkSpec(spec(own)), { resources: fileOf(lines).resources });
const evaluation = (seen: Awaited<ReturnType<typeof run>>): PolicyEvaluation => {
  const result = seen.findLast((event) => event.type === 'result' && event.kind === 'evaluation');
  if (result?.type !== 'result') throw new Error('there is no evaluation');
  return result.value as PolicyEvaluation;
};

describe('a dataset with references', () => {
  test('is a task for methods that learn from a verifier, which also scores held-out rows', async () => {
    const seen = await run({});
    const sampled = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
    const trained = sampled.filter(({ purpose }) => purpose === 'train');
    const evaluated = sampled.filter(({ purpose }) => purpose === 'evaluation');
    expect(trained).toHaveLength(2 * 4 * 4);
    expect(evaluated).toHaveLength(10 * 4);
    for (const { prompt, completion, scores, promptId, purpose } of sampled) {
      const reference = rows.find((row) => row.prompt === prompt)?.reference;
      if (completion === reference) expect(scores['match/numeric']).toBe(1);
      if (!completion.includes(String(reference)))
        expect(scores['match/numeric'], `${prompt}${completion}`).toBe(0);
      expect(splitOf(promptId, 0.25) === 'heldout').toBe(purpose === 'evaluation');
    }
    const measures = evaluation(seen);
    expect(measures).toMatchObject({ problems: 10, samples: 4, proxy: null });
    expect(measures.passAt1).toBeCloseTo(
      evaluated.filter(({ scores }) => scores['match/numeric'] === 1).length / evaluated.length,
      12,
    );
    expect(measures.passAtK.map(({ k }) => k)).toEqual([1, 2, 4]);
  });

  test('learns from the references', async () => {
    const taught = await run({
      method: { id: 'sft' },
      rewards: [],
      budget: { steps: 250, batch: 16 },
      optimizer: { learningRate: 5e-3 },
      evaluation: { problems: 16, samples: 2, rewards: [{ id: 'match/numeric' }] },
    });
    const random = await run({ budget: { steps: 0, batch: 4 }, evaluation: { problems: 16, samples: 8 } });
    expect(evaluation(taught).greedy).toBeGreaterThan(0.5);
    expect(evaluation(random).greedy).toBeLessThan(0.3);
    expect(found(taught, 'eval/loss')).toBeLessThan(1);
  });

  test('reports the total reward as proxy if it includes more than the verifier', async () => {
    const measures = evaluation(
      await run({ rewards: [{ id: 'length', weight: 0.5 }, { id: 'match/exact' }] }),
    );
    expect(measures.proxy).not.toBeNull();
    expect([0, 1]).toContain(Math.ceil(measures.gold));
  });

  test('a missing, contradictory or unparsable reference is rejected with file, row and field', async () => {
    const refused = async (lines: readonly object[], own: Partial<RunSpecInput> = {}) => {
      const { path, resources } = fileOf(lines);
      const error = await rejected(loadTaskData(checkSpec(spec(own)), resources, verifiable));
      expect(error).toMatchObject({ kind: 'invalid-input', where: `${path}:3: reference` });
      return error.message;
    };
    const third = (change: object) => rows.map((row, i) => (i === 2 ? { ...row, ...change } : row));
    expect(await refused(third({ reference: null }))).toContain("row 3 is missing, and 'match/numeric'");
    expect(await refused(third({ reference: 'three' }))).toContain('has no number: "three"');
    expect(await refused(third({ reference: '9', promptId: rows[0].promptId }))).toContain(
      'differs from that of row 1',
    );
    expect(
      await refused(third({ reference: '{' }), {
        rewards: [{ id: 'match/pattern', params: { flags: 'u' } }],
      }),
    ).toContain('not a regular expression');
    await loadTaskData(
      checkSpec(spec({ rewards: [{ id: 'length' }] })),
      fileOf(third({ reference: null })).resources,
      verifiable,
    );
  });

  test('rows without answers provide prompts only', async () => {
    const data = await loadTaskData(
      checkSpec(spec()),
      fileOf(rows.map((row) => ({ ...row, answer: '', correct: null }))).resources,
      verifiable,
    );
    expect([data.examples?.size, data.graded?.size, data.heldout.examples.length]).toEqual([0, 0, 0]);
    expect((data.problems?.size ?? 0) + data.heldout.problems.length).toBe(64);
    expect(data.texts.join('')).toContain('abc=');
  });

  test('lists the available rewards for a run without one; labels have no references', () => {
    expect(caught(() => checkSpec(spec({ rewards: [] })))).toMatchObject({
      where: 'rewards',
      hint: expect.stringContaining('match/numeric'),
    });
    expect(
      caught(() => checkSpec(spec({ method: { id: 'dpo' }, task: { kind: 'labels', labelSetId: 'l' } }))),
    ).toMatchObject({ where: 'rewards.0.id', message: expect.stringContaining('references') });
  });

  test('a world with levels reports pass@1 for each, including levels it never trains on', async () => {
    const seen = await runToy(
      device,
      checkSpec(
        spec({
          task: { kind: 'world', id: 'base-conversion', params: { levels: 1, heldoutLevels: 1 } },
          rewards: [],
          budget: { steps: 1, batch: 2 },
          evaluation: { problems: 12, samples: 2 },
        }),
      ),
    );
    const { byLevel } = evaluation(seen);
    expect(byLevel?.map(({ level }) => level)).toEqual([1, 2]);
    expect(byLevel?.reduce((sum, { problems }) => sum + problems, 0)).toBe(12);
    expect(found(seen, 'eval/pass_at_1/level_2')).toBe(byLevel?.[1].passAt1);
  });

  test('a world has references as well', async () => {
    const copied = await runToy(
      device,
      checkSpec(spec({ task: { kind: 'world', id: 'toy/copy' }, rewards: [{ id: 'match/exact' }] })),
    );
    expect(evaluation(copied).proxy).not.toBeNull();
  });
});
