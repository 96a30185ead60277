/**
 * The check before launch rejects a run that would fail when it is opened, at its first step or at an
 * evaluation: with the same message, the field and a remedy.
 */
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { splitOf } from '../../../engine/data/split.ts';
import { checkSpec } from '../../../engine/index.ts';
import { needOf } from '../../../engine/rl/tools/preflight.ts';
import { runToEnd } from '../../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { WhetstoneError } from '../../../engine/common/errors.ts';
import type { Resources } from '../../../engine/schema/messages.ts';
import type { Demonstration, Preference } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { rejected } from '../../support/errors.ts';
import { lastCheckpoint, noResources, recorder, runInto, toyModel } from '../../support/toy-run.ts';

let device: Device;
let folder: string;
let count = 0;
let copier: string;
let pairJudge: string;
let wordsJudge: string;
const short = {
  budget: { steps: 2, batch: 4 },
  sampling: { maxTokens: 4 },
  evaluation: { problems: 4, samples: 2 },
} as const;
const world = (id: string, params: object = {}): RunSpecInput['task'] => ({
  kind: 'world',
  id,
  params: { ...params },
});
const begun = async (spec: RunSpecInput): Promise<string> =>
  lastCheckpoint((await runInto(device, checkSpec(spec), join(folder, `start-${count++}`))).seen);

beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
  folder = await mkdtemp(join(tmpdir(), 'whetstone-check-'));
  copier = await begun({ ...short, method: { id: 'sft' }, models: toyModel, task: world('toy/copy') });
  pairJudge = await begun({
    ...short,
    method: { id: 'outcome-verifier' },
    models: toyModel,
    task: world('toy/pairs'),
  });
  wordsJudge = await begun({
    ...short,
    method: { id: 'generative-verdict', params: { right: 'y', wrong: 'n' } },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 32, layers: 1, heads: 2, context: 8 },
        tokenizer: { kind: 'bytes' },
      },
    },
    task: world('toy/pairs', { length: 2 }),
  });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const from = (checkpointId: string): RunSpecInput['models'] => ({
  policy: { kind: 'checkpoint', checkpointId },
});
const HELDOUT = 0.4;
const heldout = (i: number): boolean => splitOf(`q${i}`, HELDOUT) === 'heldout';
type Words = (i: number) => string;
const plain: Words = (i) => 'abc'.slice(0, 1 + (i % 3));
/** Rows of a data set with the given texts, in all rows or only in held-out ones. */
const pairs = (prompt: Words, a: Words): Preference[] =>
  Array.from({ length: 40 }, (_, i) => ({
    pairId: `p${i}`,
    promptId: `q${i}`,
    prompt: prompt(i),
    a: a(i),
    b: 'c',
    verdict: 'a',
    correctA: null,
    correctB: null,
  }));
const rows = (
  prompt: Words,
  answer: Words,
  reference: (i: number) => string | null = () => 'a',
): Demonstration[] =>
  Array.from({ length: 40 }, (_, i) => ({
    promptId: `q${i}`,
    prompt: prompt(i),
    answer: answer(i),
    reference: reference(i),
    correct: i % 3 > 0,
  }));
const task = { kind: 'dataset', datasetId: 'd', heldout: HELDOUT } as const;
const real: Words = (i) => `Rita has ${i} eggs`;
const realWhereHeldout: Words = (i) => (heldout(i) ? real(i) : plain(i));
const judged = (checkpointId: string): RunSpecInput['rewards'] => [
  { id: 'reward-model', params: { checkpointId } },
];

interface Case {
  readonly spec: RunSpecInput;
  readonly data?: readonly object[];
  readonly says: RegExp;
  readonly where: RegExp;
  readonly hint: RegExp;
}
const base = { ...short, models: toyModel };
const cases = (): { readonly [what: string]: Case } => ({
  'labels with characters that the vocabulary of the chosen checkpoint lacks': {
    spec: { ...short, method: { id: 'bradley-terry' }, models: from('copier'), task },
    data: pairs(real, real),
    says: /character “R”/,
    where: /Rita/,
    hint: /bytes or bpe/,
  },
  'held-out labels with characters that its vocabulary lacks': {
    spec: { ...short, method: { id: 'dpo' }, models: from('copier'), task },
    data: pairs(plain, realWhereHeldout),
    says: /character “R”/,
    where: /Rita/,
    hint: /bytes or bpe/,
  },
  'held-out demonstrations with characters that its vocabulary lacks': {
    spec: { ...short, method: { id: 'sft' }, models: from('copier'), task },
    data: rows(plain, realWhereHeldout),
    says: /character “R”/,
    where: /Rita/,
    hint: /bytes or bpe/,
  },
  'held-out answers with characters that its vocabulary lacks': {
    spec: { ...short, method: { id: 'outcome-verifier' }, models: from('copier'), task },
    data: rows(plain, realWhereHeldout),
    says: /character “R”/,
    where: /Rita/,
    hint: /bytes or bpe/,
  },
  'held-out problems with characters that its vocabulary lacks': {
    spec: {
      ...short,
      method: { id: 'grpo', params: { size: 2 } },
      models: from('copier'),
      task,
      rewards: [{ id: 'match/exact' }],
    },
    data: rows(realWhereHeldout, plain),
    says: /character “R”/,
    where: /Rita/,
    hint: /bytes or bpe/,
  },
  'problems of a world with characters that its vocabulary lacks, beyond those of the rehearsal': {
    spec: {
      ...short,
      method: { id: 'sft' },
      models: from('copier'),
      task: world('toy/copy'),
      evaluation: { problems: 100, samples: 1, world: { id: 'arithmetic' } },
    },
    says: /character/,
    where: /character/,
    hint: /bytes or bpe/,
  },
  'verdicts with characters that its vocabulary lacks': {
    spec: {
      ...short,
      method: { id: 'generative-verdict', params: { right: 'Yes', wrong: 'No' } },
      models: from('copier'),
      task: world('toy/copy'),
    },
    says: /^The method writes a text of its own.*character “Y”.*character 1 of “Yes”/,
    // a field of the form, which marks it
    where: /^models\.policy$/,
    hint: /bytes or bpe/,
  },
  'a context too short for any pair': {
    spec: { ...base, method: { id: 'dpo' }, task },
    data: pairs(plain, () => 'a'.repeat(40)),
    says: /None of the \d+ decided pairs .* context of 24 tokens/,
    where: /^models\.policy\.architecture\.context$/,
    hint: /43 tokens for the shortest, 45 for all/,
  },
  'a checkpoint whose context is too short for any pair': {
    spec: { ...short, method: { id: 'dpo' }, models: from('copier'), task },
    data: pairs(plain, () => 'a'.repeat(40)),
    says: /None of the \d+ decided pairs/,
    where: /^models\.policy$/,
    hint: /longer context/,
  },
  'prompts that leave no room for an answer': {
    spec: {
      ...base,
      method: { id: 'grpo' },
      task,
      rewards: [{ id: 'match/exact' }],
      sampling: { maxTokens: 30 },
    },
    data: rows(plain, plain),
    says: /None of the \d+ prompts/,
    where: /^sampling\.maxTokens$/,
    hint: /shorter than 30 tokens/,
  },
  'a judge whose vocabulary lacks characters of a world’s prompts': {
    spec: { ...base, method: { id: 'grpo' }, task: world('arithmetic'), rewards: judged('pairJudge') },
    says: /character/,
    where: /checkpoint pairJudge/,
    hint: /tokenize these prompts/,
  },
  'a judge whose vocabulary lacks a character of one prompt': {
    spec: { ...base, method: { id: 'grpo' }, task, rewards: judged('pairJudge') },
    data: rows((i) => ((i === 33 && !heldout(33)) || i === 31 ? '€' : plain(i)), plain),
    says: /character “€”/,
    where: /checkpoint pairJudge/,
    hint: /tokenize these prompts/,
  },
  'a judge whose context is too short for every prompt': {
    spec: { ...base, method: { id: 'grpo' }, task, rewards: judged('wordsJudge') },
    data: rows((i) => 'abcabcabc'.slice(i % 2), plain),
    says: /None of the \d+ prompts leaves room .* 8 tokens/,
    where: /checkpoint wordsJudge/,
    hint: /context is longer than \d+ tokens/,
  },
  'an evaluation judge whose vocabulary lacks characters of the problems': {
    spec: {
      ...base,
      method: { id: 'sft' },
      task: world('toy/steps'),
      evaluation: { problems: 4, samples: 1, rewards: judged('pairJudge') },
    },
    says: /character/,
    where: /checkpoint pairJudge/,
    hint: /tokenize these prompts/,
  },
  'a missing reference': {
    spec: { ...base, method: { id: 'grpo' }, task, rewards: [{ id: 'match/exact' }] },
    data: rows(plain, plain, (i) => (i === 30 ? null : 'a')),
    says: /reference of row 31 is missing/,
    where: /reference/,
    hint: /reference/,
  },
  'a reference that its verifier cannot parse': {
    spec: { ...base, method: { id: 'grpo' }, task, rewards: [{ id: 'match/numeric' }] },
    data: rows(plain, plain, (i) => (i === 30 ? 'many' : '1')),
    says: /reference of row/,
    where: /reference/,
    hint: /another verifier|same reference/,
  },
  'steps without labels': {
    spec: { ...base, method: { id: 'process-verifier' }, task },
    data: rows(plain, plain),
    says: /no verdicts on their steps/,
    where: /task/,
    hint: /world/,
  },
  'a head on random features, because the pairs are few': {
    spec: { ...base, method: { id: 'bradley-terry' }, task },
    data: pairs(plain, plain),
    says: /random weights/,
    where: /^models\.policy\.kind$/,
    hint: /trunk: trained/,
  },
});

const names = Object.keys(cases());
describe('the check before launch', () => {
  test.each(names)('rejects %s', async (name) => {
    const { spec: given, data, says, where, hint } = cases()[name];
    const path = join(folder, `rows-${count++}.jsonl`);
    if (data) await writeFile(path, data.map((row) => JSON.stringify(row)).join('\n'));
    const resources: Resources = {
      ...noResources,
      checkpoints: { copier, pairJudge, wordsJudge },
      ...(data && { datasets: { d: path } }),
    };
    const spec = checkSpec(given);
    const found = await rejected(needOf(spec, resources));
    expect(found).toMatchObject({
      kind: expect.stringMatching(/invalid-input|unsupported/) as string,
      message: expect.stringMatching(says) as string,
      where: expect.stringMatching(where) as string,
      hint: expect.stringMatching(hint) as string,
    });
    const { seen, events } = recorder();
    const outDir = join(folder, `run-${count++}`);
    const ended = await rejected(
      runToEnd(
        { runId: 'refused', attempt: 1, spec, resources, outDir },
        events,
        new AbortController().signal,
        device,
      ),
    );
    expect((ended as WhetstoneError).facts).toEqual((found as WhetstoneError).facts);
    expect(seen.some(({ type }) => type === 'metrics')).toBe(false);
  });

  test('rejects fitting a head on random features while the user writes the specification', () => {
    expect(() =>
      checkSpec({ ...base, method: { id: 'bradley-terry', params: { trunk: 'frozen' } }, task }),
    ).toThrow(/random weights/);
    expect(() =>
      checkSpec({
        ...base,
        method: { id: 'bradley-terry', params: { trunk: 'frozen' } },
        models: from('copier'),
        task,
      }),
    ).not.toThrow();
    expect(() =>
      checkSpec({ ...base, method: { id: 'bradley-terry', params: { trunk: 'trained' } }, task }),
    ).not.toThrow();
  });

  test('allows fitting a head on a trained model', async () => {
    const path = join(folder, `rows-${count++}.jsonl`);
    await writeFile(
      path,
      pairs(plain, plain)
        .map((row) => JSON.stringify(row))
        .join('\n'),
    );
    const spec = checkSpec({ ...short, method: { id: 'bradley-terry' }, models: from('copier'), task });
    await expect(
      needOf(spec, { ...noResources, checkpoints: { copier }, datasets: { d: path } }),
    ).resolves.toMatchObject({ steps: 1 });
  });
});
