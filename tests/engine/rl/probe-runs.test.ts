import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { frames } from '../../../engine/common/frames.ts';
import { checkSpec } from '../../../engine/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { RunSpecInput } from '../../../engine/schema/run-spec.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { rejected } from '../../support/errors.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { noResources, runToy } from '../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});
afterAll(() => device.close());

/** Two rounds of a probe of random weights. */
const probing = (task: RunSpecInput['task'], kind: 'characters' | 'bytes', rewards: object[] = []) =>
  checkSpec({
    method: { id: 'ert', params: { groupSize: 1, instructions: 4, sets: 1 } },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 700 },
        tokenizer: { kind },
      },
    },
    task,
    rewards: rewards as never,
    sampling: { maxTokens: 60 },
    budget: { steps: 2, batch: 8 },
    evaluation: { problems: 0 },
  });

const answersOf = async (spec: ReturnType<typeof probing>, datasets: Readonly<Record<string, string>> = {}) =>
  (await runToy(device, spec, { resources: { ...noResources, datasets } })).flatMap((event) =>
    event.type === 'trajectories' ? event.rows : [],
  );

test('the prompts of a dataset are asked with text around them, and judged as they are', async () => {
  const path = join(temporaryFolder(), 'rows.jsonl');
  const rows = Array.from({ length: 12 }, (_none, i) => ({
    promptId: `q${i}`,
    prompt: `How much is ${i} and ${i}?`,
    answer: '',
    reference: String(2 * i),
    correct: null,
  }));
  writeFileSync(path, rows.map((row) => JSON.stringify(row)).join('\n'));
  const spec = probing({ kind: 'dataset', datasetId: 'd', heldout: 0.2 }, 'bytes', [{ id: 'match/exact' }]);
  const answers = await answersOf(spec, { d: path });
  expect(answers).toHaveLength(16);
  const plain = new Set(rows.map(({ prompt }) => prompt));
  expect(answers.every(({ prompt }) => plain.has(prompt))).toBe(true);
  expect(new Set(answers.map(({ id }) => id)).size).toBe(16);
  const shown = answers.flatMap((answer) => (answer.shown === undefined ? [] : [answer]));
  expect(shown.length).toBeGreaterThan(8);
  for (const { shown: text = '', prompt, promptId } of shown) {
    expect(text).toContain(prompt);
    expect(frames.kindsOf(text)).not.toEqual([]);
    expect(rows.find((row) => row.promptId === promptId)?.prompt).toBe(prompt);
  }
  expect(Object.keys(answers[0].scores)).toEqual(expect.arrayContaining(['match/exact', 'likeness']));
});

test('a world with wordings in its own signs is probed with a policy that reads these alone', async () => {
  const answers = await answersOf(probing({ kind: 'world', id: 'arithmetic' }, 'characters'));
  const { wordings } = openWorldById('arithmetic');
  expect(answers).toHaveLength(16);
  expect(answers.filter(({ prompt }) => wordings?.kindsOf(prompt).length).length).toBeGreaterThan(8);
  expect(answers.every(({ shown }) => shown === undefined)).toBe(true);
});

test('a policy that cannot read words around a prompt is told so', async () => {
  const error = await rejected(answersOf(probing({ kind: 'world', id: 'toy/copy' }, 'characters')));
  expect(error).toMatchObject({ kind: 'invalid-input', where: 'task' });
  expect(error.message).toMatch(/cannot read the words that a probe puts around the prompts/);
});
