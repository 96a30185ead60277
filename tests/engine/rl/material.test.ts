import { describe, expect, test } from 'vitest';
import { splitOf } from '../../../engine/data/split.ts';
import { readCheckpoint } from '../../../engine/models/checkpoint.ts';
import type { Demonstration, Preference } from '../../../engine/schema/preference.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { runsInOneFolder } from '../../support/run-in-folder.ts';
import { found, toyModel } from '../../support/toy-run.ts';

const { run, writeRows } = runsInOneFolder();

test.each([
  ['dpo', 'tie', "All 20 training pairs of label set 'none' are ties"],
  ['bradley-terry', 'tie', "All 20 training pairs of label set 'none' are ties"],
  ['dpo', 'skip', "no decided pairs to learn from in the training part of label set 'none'"],
  ['bradley-terry', 'both-bad', "no decided pairs to learn from in the training part of label set 'none'"],
] as const)('%s rejects labels that are all %j before training', async (id, verdict, message) => {
  const row = (i: number): Preference => ({
    pairId: `p${i}`,
    promptId: `q${i}`,
    prompt: 'ab?',
    a: 'a',
    b: 'b',
    verdict,
    correctA: null,
    correctB: null,
  });
  const path = await writeRows(
    `only-${id}-${verdict}.jsonl`,
    Array.from({ length: 20 }, (_, i) => row(i)),
  );
  const refused = run(
    {
      method: { id },
      models: toyModel,
      task: { kind: 'labels', labelSetId: 'none', heldout: 0 },
      budget: { steps: 2, batch: 4 },
    },
    { preferences: { none: path } },
  );
  await expect(refused).rejects.toMatchObject({
    kind: 'invalid-input',
    message: expect.stringContaining(message) as string,
    hint: expect.any(String) as string,
  });
});

test('demonstrations from a file: leaves out answers marked wrong, and splits held-out rows by prompt', async () => {
  const copy = openWorldById('toy/copy', { letters: 8 });
  const rows = Array.from({ length: 200 }, (_, i): Demonstration => {
    const { promptId, prompt, answer, reference, correct } = copy.demonstration(i, 5);
    return { promptId, prompt, answer, reference, correct };
  });
  const path = await writeRows('rows.jsonl', rows);
  const { seen } = await run(
    {
      method: { id: 'sft' },
      models: toyModel,
      task: { kind: 'dataset', datasetId: 'd', heldout: 0.2 },
      optimizer: { learningRate: 1e-2 },
      budget: { steps: 150, batch: 16 },
    },
    { datasets: { d: path } },
  );
  expect(found(seen, 'eval/loss')).toBeLessThan(0.3);
});

describe('rows longer than the model’s context', () => {
  const lengths = (long: number) => Array.from({ length: 40 }, (_, i) => (i < long ? 30 : 3));
  const pairs = (long: number) =>
    lengths(long).map((n, i): Preference => ({
      pairId: `p${i}`,
      promptId: `q${i}`,
      prompt: 'ab?',
      a: 'ba'.repeat(n).slice(0, n),
      b: 'b',
      verdict: 'a',
      correctA: null,
      correctB: null,
    }));
  const prompts = (long: number) =>
    lengths(long).map((n, i): Demonstration => ({
      promptId: `q${i}`,
      prompt: 'ab'.repeat(n).slice(0, n),
      answer: 'a',
      reference: null,
      correct: null,
    }));
  const of = (id: string, extra: Partial<RunSpecInput> = {}): RunSpecInput => ({
    method: { id, params: id === 'bradley-terry' ? { trunk: 'trained' } : {} },
    models: toyModel,
    sampling: { maxTokens: 8 },
    budget: { steps: 1, batch: 4 },
    evaluation: { problems: 0 },
    task: { kind: 'dataset', datasetId: 'd', heldout: 0.25 },
    ...extra,
  });

  test.each<[string, (long: number) => readonly (Demonstration | Preference)[]]>([
    ['sft', prompts],
    ['dpo', pairs],
    ['bradley-terry', pairs],
    ['sample', prompts],
  ])('are left out by %s and counted, and the run is rejected if none is left', async (id, rows) => {
    const { seen } = await run(of(id, { task: { kind: 'dataset', datasetId: 'd', heldout: 0 } }), {
      datasets: { d: await writeRows(`${id}-some.jsonl`, rows(7)) },
    });
    expect(found(seen, 'data/too_long')).toBe(7);
    const { seen: short } = await run(of(id), {
      datasets: { d: await writeRows(`${id}-none.jsonl`, rows(0)) },
    });
    expect(short.some((event) => event.type === 'metrics' && 'data/too_long' in event.values)).toBe(false);
    const refused = run(of(id), { datasets: { d: await writeRows(`${id}-all.jsonl`, rows(40)) } });
    await expect(refused).rejects.toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(
        /None of the \d+ .* of dataset 'd' fits the model's context of 24 tokens/,
      ) as string,
    });
  });

  test('are also counted if they would have been held out', async () => {
    const { seen } = await run(of('sft'), { datasets: { d: await writeRows('heldout.jsonl', prompts(20)) } });
    expect(found(seen, 'data/too_long')).toBe(20);
  });
});

test.each(['sft', 'dpo'])('a tokenizer trained by %s does not see held-out texts', async (id) => {
  const models: RunSpecInput['models'] = {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 64 },
      tokenizer: { kind: 'bpe', vocabulary: 300 },
    },
  };
  const learned = async (heldoutText: string) => {
    const answerOf = (promptId: string) => (splitOf(promptId, 0.3) === 'heldout' ? heldoutText : 'abcabcabc');
    const rows = Array.from({ length: 60 }, (_, i) => {
      const promptId = `q${i}`;
      return id === 'sft'
        ? ({
            promptId,
            prompt: '?',
            answer: answerOf(promptId),
            reference: null,
            correct: null,
          } satisfies Demonstration)
        : ({
            pairId: promptId,
            promptId,
            prompt: '?',
            a: answerOf(promptId),
            b: '',
            verdict: 'a',
            correctA: null,
            correctB: null,
          } satisfies Preference);
    });
    const path = await writeRows(`${id}-${heldoutText}.jsonl`, rows);
    const { saved } = await run(
      {
        method: { id },
        models,
        task: { kind: 'dataset', datasetId: 'd', heldout: 0.3 },
        budget: { steps: 1, batch: 4 },
        evaluation: { problems: 0 },
      },
      { datasets: { d: path } },
    );
    return (await readCheckpoint(saved.path)).tokenizer;
  };
  const tokenizer = await learned('xyzxyzxyz');
  expect(tokenizer.encode('abcabcabc').length).toBeLessThan(9);
  expect(tokenizer.encode('xyzxyzxyz')).toHaveLength(9);
  expect(tokenizer.toJson()).toEqual((await learned('uvwuvwuvw')).toJson());
});
