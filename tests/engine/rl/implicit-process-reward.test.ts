import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/index.ts';
import type { AnswerRow } from '../../../engine/rewards/index.ts';
import { openStack } from '../../../engine/rewards/stack.ts';
import {
  checkpointOpener,
  openLikelihood,
  openTextScorer,
} from '../../../engine/rl/evaluation/model-scorers.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { ragged, rowOf } from '../../../engine/rl/kernel/rows.ts';
import type { PerToken } from '../../../engine/rl/kernel/columns.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { rejected } from '../../support/errors.ts';
import { found, noResources, recorder, runToy, toyModel } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
const checkpoints: Record<string, string> = {};
const preferences: Record<string, string> = {};
const train = async (
  name: string,
  spec: Pick<RunSpecInput, 'method' | 'task'> & { readonly models?: RunSpecInput['models'] },
  steps = 20,
): Promise<void> => {
  const { seen, events } = recorder();
  await runToEnd(
    {
      runId: name,
      attempt: 1,
      resources: { ...noResources, checkpoints, preferences },
      outDir: join(folder, name),
      spec: checkSpec({
        models: toyModel,
        ...spec,
        optimizer: { learningRate: 5e-3 },
        budget: { steps, batch: 16 },
        sampling: { maxTokens: 8 },
        evaluation: { problems: 0 },
        seed: 1,
      }),
    },
    events,
    new AbortController().signal,
    device,
  );
  const saved = seen.findLast((event) => event.type === 'checkpoint');
  checkpoints[name] = saved?.type === 'checkpoint' ? saved.checkpoint.path : '';
};
const steps = { kind: 'world', id: 'toy/steps' } as const;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-implicit-'));
  await train('base', { method: { id: 'sft' }, task: steps });
  const prompts = ['abc', 'cab', 'bca', 'aab', 'cba', 'bbc', 'acc', 'cac'].map((text) => [...text]);
  const labels = join(folder, 'labels.jsonl');
  await writeFile(
    labels,
    prompts
      .map((letters, at) =>
        JSON.stringify({
          pairId: `${at}`,
          promptId: `${at}`,
          prompt: `${letters.join('')}>`,
          a: [...letters, '#'].join('\n'),
          b: ['c', letters[1], 'a', '#'].join('\n'),
          verdict: 'a',
          correctA: true,
          correctB: false,
        }),
      )
      .join('\n'),
  );
  preferences.labels = labels;
  await train(
    'tuned',
    {
      method: { id: 'dpo' },
      task: { kind: 'labels', labelSetId: 'labels', heldout: 0 },
      models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
    },
    60,
  );
  await train('judge', { method: { id: 'outcome-verifier' }, task: steps });
  await train('in words', {
    method: { id: 'generative-verdict', params: { right: 'a', wrong: 'b' } },
    task: steps,
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = (completion: string, stopReason: AnswerRow['stopReason'] = 'end'): AnswerRow => ({
  promptId: 'p',
  prompt: 'abc>',
  completion,
  tokens: completion.length + 1,
  stopReason,
});
const answers = [row('a\nb\nc\n#'), row('a\nc'), row('b\n\n#'), row(''), row('a\nb\nc\n', 'length')];
const beta = 0.3;
const params = { checkpointId: 'tuned', reference: { checkpointId: 'base' }, beta };
const stackOf = (rewards: readonly { id: string; weight: number; params: Record<string, unknown> }[]) =>
  openStack(rewards, {
    checkpoint: checkpointOpener(device, { ...noResources, checkpoints }, openTextScorer),
    policy: checkpointOpener(device, { ...noResources, checkpoints }, openLikelihood),
  });

describe('the rewards of an answer’s lines', () => {
  test('sum to the implicit reward of the whole answer', async () => {
    const stack = await stackOf([
      { id: 'implicit-process-reward', weight: 1, params },
      { id: 'implicit-reward', weight: 0, params },
    ]);
    const { total, raw, lines } = await stack.score(answers);
    expect(Array.from(answers, (_, r) => (lines?.offsets[r + 1] ?? 0) - (lines?.offsets[r] ?? 0))).toEqual([
      4, 2, 3, 1, 4,
    ]);
    answers.forEach((_, r) => {
      expect(
        lines?.values.subarray(lines.offsets[r], lines.offsets[r + 1]).reduce((a, b) => a + b, 0),
      ).toBeCloseTo(total[r], 9);
      expect(total[r]).toBeCloseTo(raw['implicit-reward'][r], 5);
    });
    expect(Math.max(...total.map(Math.abs))).toBeGreaterThan(1e-3);
  });

  test('are differences of the prefix values: q after the line minus q before it', async () => {
    const { lines } = await (
      await stackOf([{ id: 'implicit-process-reward', weight: 1, params }])
    ).score(answers);
    const [trained, reference] = [
      await openLikelihood(device, checkpoints.tuned),
      await openLikelihood(device, checkpoints.base),
    ];
    const beginnings = ['a\n', 'a\nb\n', 'a\nb\nc\n'].map((text) => row(text, 'length'));
    const [of, under] = [await trained.score(beginnings), await reference.score(beginnings)];
    const q = [0, ...of.map((logp, k) => beta * (logp - under[k]))];
    [0, 1, 2].forEach((line) => expect(lines?.values[line]).toBeCloseTo(q[line + 1] - q[line], 5));
  });

  test('add an outcome reward to the last line', async () => {
    const alone = await (
      await stackOf([{ id: 'implicit-process-reward', weight: 2, params }])
    ).score(answers);
    const both = await (
      await stackOf([
        { id: 'implicit-process-reward', weight: 2, params },
        { id: 'length', weight: 0.5, params: {} },
      ])
    ).score(answers);
    answers.forEach(({ tokens }, r) =>
      [...(both.lines?.values.subarray(both.lines.offsets[r], both.lines.offsets[r + 1]) ?? [])].forEach(
        (value, line, all) =>
          expect(value).toBeCloseTo(
            (alone.lines?.values[alone.lines.offsets[r] + line] ?? 0) +
              (line === all.length - 1 ? (0.5 * tokens) / 24 : 0),
            9,
          ),
      ),
    );
    expect(
      (await (await stackOf([{ id: 'length', weight: 1, params: {} }])).score(answers)).lines,
    ).toBeUndefined();
  });
});

describe('credits the reward of a line to', () => {
  const text = { decode: ([id]: number[]) => ['x', '\n', 'x\n\n', '\nx', ''][id] };
  const earned = async (
    tokens: readonly number[],
    mask: readonly number[],
    lines: readonly number[],
  ): Promise<number[]> => {
    const values = Float64Array.from(lines);
    const value = Float64Array.of(lines.reduce((a, b) => a + b, 0));
    const stage = part.score({
      id: 'total',
      scorers: ['lines'],
      empty: false,
      score: async () => ({ value, raw: {}, lines: { values, offsets: Uint32Array.of(0, lines.length) } }),
    });
    const { columns } = (await stage.run(
      { tokens: ragged([tokens], Int32Array), mask: ragged([mask], Uint8Array) } as never,
      { text } as never,
    )) as { columns: { 'credit/earned': PerToken<Float64Array> } };
    return [...rowOf(columns['credit/earned'], 0)];
  };

  test.each([
    [
      'the token that ends it',
      [0, 0, 1, 0, 1, 0, 4],
      [0, 1, 1, 1, 1, 1, 1],
      [1, 2, 4],
      [0, 0, 1, 0, 2, 0, 4],
    ],
    ['the token that ends two lines, for both', [0, 0, 2, 0, 4], [0, 1, 1, 1, 1], [1, 2, 4], [0, 0, 3, 0, 4]],
    [
      'the token that begins the next line and ends this one',
      [0, 0, 3, 4],
      [0, 1, 1, 1],
      [1, 4],
      [0, 0, 1, 4],
    ],
    [
      'the last token before a reply of the world that ends it',
      [0, 0, 0, 1, 0, 4],
      [0, 1, 0, 0, 1, 1],
      [1, 4],
      [0, 1, 0, 0, 0, 4],
    ],
    [
      'the first token, for lines that the prompt already contains',
      [0, 1, 0, 1, 0, 4],
      [0, 0, 0, 0, 1, 1],
      [1, 2, 4],
      [0, 0, 0, 0, 3, 4],
    ],
    ['the last token of a one-line answer', [0, 0, 4], [0, 1, 1], [4], [0, 0, 4]],
  ] as const)('%s', async (_, tokens, mask, lines, wanted) =>
    expect(await earned(tokens, mask, lines)).toEqual(wanted),
  );
});

describe('a run', () => {
  const toy = (id: string, rewards: RunSpecInput['rewards'], method = {}) =>
    runToy(
      device,
      checkSpec({
        method: { id, params: method },
        models: { policy: { kind: 'checkpoint', checkpointId: 'base' } },
        task: steps,
        rewards,
        optimizer: { learningRate: 1e-3 },
        budget: { steps: 4, batch: 8 },
        sampling: { maxTokens: 8 },
        evaluation: { problems: 0 },
        seed: 1,
      }),
      { resources: { ...noResources, checkpoints } },
    );
  const [process, outcome] = ['implicit-process-reward', 'implicit-reward'].map((id) => [{ id, params }]);

  const relativeDifference = async (id: string, method = {}): Promise<number> => {
    const [byLine, whole] = [
      found(await toy(id, process, method), 'grad_norm'),
      found(await toy(id, outcome, method), 'grad_norm'),
    ];
    return Math.abs(byLine - whole) / whole;
  };
  test('with credit per answer uses the sum', async () =>
    expect(await relativeDifference('rloo', { groupSize: 4 })).toBeLessThan(1e-5));
  test('with credit per token uses each line’s own reward', async () =>
    expect(await relativeDifference('reinforce-plus-plus')).toBeGreaterThan(1e-3));

  test.each([
    ['a model with a scoring head', 'judge', 'tuned', 'unsupported', 'rewards.1.params.checkpointId'],
    [
      'a reference with a scoring head',
      'tuned',
      'judge',
      'unsupported',
      'rewards.1.params.reference.checkpointId',
    ],
    ['a judge in words', 'in words', 'base', 'unsupported', 'rewards.1.params.checkpointId'],
    ['a missing checkpoint', 'gone', 'base', 'not-found', 'rewards.1.params.checkpointId'],
  ])('rejects %s with the path of the field', async (_, checkpointId, reference, kind, where) => {
    const run = toy('grpo', [
      { id: 'verifier' },
      { id: 'implicit-process-reward', params: { checkpointId, reference: { checkpointId: reference } } },
    ]);
    expect(await rejected(run)).toMatchObject({ kind, where });
  });
});
