import { afterAll, beforeAll, expect, test } from 'vitest';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { combine } from '../../../engine/rewards/combine.ts';
import { openTextScorer, type OpenedJudge } from '../../../engine/rl/evaluation/model-scorers.ts';
import { methods } from '../../../engine/rl/methods/index.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { verdictIn } from '../../../engine/rl/parts/math/verdicts.ts';
import type { Columns, PerToken } from '../../../engine/rl/kernel/columns.ts';
import { ragged, rowOf } from '../../../engine/rl/kernel/rows.ts';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import {
  found,
  lastCheckpoint,
  noResources,
  runInto,
  runToy,
  sanitySpec,
  toyModel,
  type Seen,
} from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let judge: OpenedJudge;
let path: string;
let seen: readonly Seen[];
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-sampled-'));
  const method = methods.find(({ id }) => id === 'spct');
  if (!method) throw new Error('there is no spct');
  ({ seen } = await runInto(device, sanitySpec(method, 1), folder));
  path = lastCheckpoint(seen);
  judge = await openTextScorer(device, path);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const rowsOf = (...completions: string[]) =>
  completions.map((completion) => ({
    promptId: 'p',
    prompt: 'abc?',
    completion,
    tokens: completion.length + 1,
    stopReason: 'end' as const,
  }));

test('the verdict of a judgement is the text at its end; the longer one counts', () => {
  const texts = { right: 'sound', wrong: 'unsound' };
  expect(
    ['it is sound', 'it is unsound \n', 'sound, perhaps', ''].map((text) => verdictIn(text, texts)),
  ).toEqual([1, 0, 0.5, 0.5]);
});

test('a majority is 1, 0, or ½ in a tie; votes without a verdict decide nothing', () => {
  const majority = (...votes: number[]) => combine({ how: 'majority', caution: 1 }, Float64Array.from(votes));
  expect([majority(1, 1, 0), majority(0, 0.5, 0.5), majority(1, 0, 0.5), majority(0.5)]).toEqual([
    1, 0, 0.5, 0.5,
  ]);
});

test('spct: votes of sampled judgements separate right answers from wrong ones, and do not depend on the batch', async () => {
  const rows = rowsOf('aa', 'bc', 'ab');
  const scores = await judge.score(rows);
  expect(scores[0]).toBeGreaterThan(0.7);
  expect(scores[1]).toBeLessThan(0.3);
  expect([...(await judge.score(rows.toReversed()))].reverse()).toEqual([...scores]);
  expect((await judge.score(rows.slice(1, 2)))[0]).toBe(scores[1]);
  expect([...(await judge.score(rows, { how: 'majority', caution: 1 }))].slice(0, 2)).toEqual([1, 0]);
});

test('its evaluation reports the accuracy of the majority of 1, 2, 4 and 8 votes', () => {
  for (const k of [1, 2, 4, 8]) expect(found(seen, `eval/votes/accuracy@${k}`)).toBeGreaterThan(0.8);
  expect(found(seen, 'eval/votes/accuracy@8')).toBeGreaterThanOrEqual(
    found(seen, 'eval/votes/accuracy@1') - 0.05,
  );
});

test('its votes are a reward of another run', async () => {
  const spec = checkSpec({
    method: { id: 'raft', params: { groupSize: 2 } },
    models: toyModel,
    task: { kind: 'world', id: 'toy/pairs' },
    rewards: [{ id: 'reward-model', params: { checkpointId: 'judge', combine: 'majority' } }],
    budget: { steps: 2, batch: 2 },
    sampling: { maxTokens: 4 },
    evaluation: { problems: 0 },
  });
  const run = await runToy(device, spec, { resources: { ...noResources, checkpoints: { judge: path } } });
  expect(Number.isFinite(found(run, 'reward/mean'))).toBe(true);
});

/** Stage `stage` on rows whose judgements are the given texts, four tokens of room in a context of ten. */
const judgedBy = async (texts: readonly string[]) => {
  const prompts: number[][] = [];
  const { columns, from_R } = await part
    .sampleVerdicts({ groupSize: 2, tokens: 4, right: '+', wrong: '-' })
    .run(
      {
        tokens: ragged(
          [
            [1, 2, 3, 0],
            [1, 4, 5, 6, 7, 8, 9, 0],
          ],
          Int32Array,
        ),
        promptId: Float64Array.of(7, 7),
        problem: ['q', 'q'].map((prompt) => ({ promptId: 'p', prompt, reference: null })),
        completion: ['good', 'bad'],
        weight: Float64Array.of(3, 1),
        'reward/total': Float64Array.of(1, 0.2),
      } as never,
      {
        text: { context: 10, end: 0 },
        control: { sizes: (problem: readonly unknown[], size: number) => problem.map(() => size) },
        sample: (prompt: PerToken<Int32Array>) => {
          texts.forEach((_, r) => prompts.push([...rowOf(prompt, r)]));
          return Promise.resolve({ completion: texts });
        },
      } as never,
    );
  return { columns: columns as unknown as Columns, from_R, prompts };
};

test('self-rationalization and spct: judgements are graded against the label of their answer, which is cut for room', async () => {
  const { columns, from_R, prompts } = await judgedBy(['fine +', 'no -', 'so -', 'well']);
  expect([...(from_R ?? [])]).toEqual([0, 0, 1, 1]);
  expect(prompts).toEqual([
    [1, 2, 3, 0],
    [1, 2, 3, 0],
    [1, 4, 5, 6, 7, 0],
    [1, 4, 5, 6, 7, 0],
  ]);
  expect([...columns['reward/total']]).toEqual([1, -1, 1, -1]);
  expect([...columns.weight]).toEqual([3, 3, 1, 1]);
  expect(columns.problem.map(({ prompt, reference }) => [prompt, reference])).toEqual([
    ['qgood', '+'],
    ['qgood', '+'],
    ['qbad', '-'],
    ['qbad', '-'],
  ]);
  expect(new Set(columns.problem.map(({ promptId }) => promptId)).size).toBe(2);
});

test('right and wrong answers count equally in a batch, which keeps its weight', async () => {
  const { columns } = await part.balanceClasses.run(
    { weight: Float64Array.of(1, 1, 1, 1), 'reward/total': Float64Array.of(1, 0, 0, 0) } as never,
    {} as never,
  );
  const { weight } = columns as unknown as { weight: Float64Array };
  [2, 2 / 3, 2 / 3, 2 / 3].forEach((w, r) => expect(weight[r]).toBeCloseTo(w, 12));
});
