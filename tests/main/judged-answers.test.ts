import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { OpenServices } from '../../main/headless/open.ts';
import type { ModeId } from '../../engine/schema/labeling/index.ts';
import type { FileProgress } from '../../preload/contract/exports.ts';
import { rejected } from '../support/errors.ts';
import { noFindings } from '../support/findings.ts';
import { temporaryFolder } from '../support/folder.ts';
import { fileWith, jsonLines, readAll } from '../support/read-dataset.ts';
import { servicesForTest } from '../support/workspace.ts';

const right = 'Add 2.\n\nTake 3.\n\nSo 5.';
const wrong = 'Add 2.\n\nTake 4.\n\nSo 6.';
const emoji = '😀 fine, but wrong.';

/** A set of single answers to one prompt, and the decisions about them by their texts. */
async function setForTest(mode: ModeId, answers: readonly string[], extra?: Record<string, unknown>) {
  const bench = await servicesForTest();
  const { store } = bench.services;
  const datasetId = await store.datasets.stage({ name: 'answers', source: 'test' });
  const rows = answers.map((answer, row) => ({
    row,
    line: row + 1,
    promptId: 'p',
    prompt: 'What is 2 + 3?',
    answer,
    reference: '5',
    correct: null,
    source: 'model-x',
    ...(extra && { extra }),
  }));
  await store.datasets.append(datasetId, rows, []);
  await store.datasets.finish(datasetId, { hash: 'hash', doctor: noFindings });
  const set = await store.labelSets.create({
    name: '',
    from: { kind: 'dataset', datasetId },
    pairsPerPrompt: 9,
    onlyDiffering: false,
    seed: 0,
    mode,
  });
  const items = await store.labels.queue(set.id, [], 50);
  const decide = (answer: string, value: unknown) =>
    store.labels.decide({
      pairId: items.find(({ answers: [text] }) => text === answer)?.pairId ?? '',
      verdict: 'answered',
      value,
      labeler: 'ann',
      seconds: 1,
      rationale: '',
    });
  return { bench, set, items, decide };
}

/** Exports a set; returns the file. */
async function exported(bench: OpenServices, id: string, format: string, name: string): Promise<string> {
  const path = join(temporaryFolder(), name);
  const seen: FileProgress[] = [];
  const input = { from: { kind: 'label-set' as const, id }, format, path };
  for await (const each of bench.api.exports.write(input, new AbortController().signal)) seen.push(each);
  expect(seen.at(-1)).toMatchObject({ state: 'done' });
  return path;
}
const linesOf = (path: string): unknown[] =>
  readFileSync(path, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown);

describe('labels of correctness', () => {
  it('round-trip through TRL stepwise and ProcessBench, and imply the right answer over the wrong one', async () => {
    const { bench, set, decide } = await setForTest('correctness', [right, wrong, 'Whatever.']);
    await decide(right, { correct: true });
    await decide(wrong, { correct: false, firstWrong: 1 });
    await decide('Whatever.', { correct: false });
    const trl = await exported(bench, set.id, 'trl-stepwise', 'steps.jsonl');
    expect(linesOf(trl)).toContainEqual(
      expect.objectContaining({
        prompt: 'What is 2 + 3?',
        completions: ['Add 2.', 'Take 4.'],
        labels: [true, false],
      }),
    );
    const whole = (await readAll(trl)).rows.find(({ correct }) => correct);
    expect(whole).toMatchObject({ answer: right, extra: { stepLabels: [true, true, true] } });
    const bench2 = await exported(bench, set.id, 'process-bench', 'bench.jsonl');
    const read = (await readAll(bench2)).rows;
    expect(read.map(({ answer, correct }) => [answer, correct])).toEqual(
      expect.arrayContaining([
        [right, true],
        [wrong, false],
      ]),
    );
    expect(read.find(({ answer }) => answer === wrong)?.extra).toMatchObject({
      stepLabels: [true, false, null],
    });
    const unpaired = linesOf(await exported(bench, set.id, 'trl-unpaired', 'unpaired.jsonl'));
    expect(unpaired).toHaveLength(3);
    expect(unpaired).toContainEqual(
      expect.objectContaining({ completion: right, label: true, labeler: 'ann' }),
    );
    const pairs = linesOf(await exported(bench, set.id, 'trl-preference', 'pairs.jsonl'));
    expect(pairs).toHaveLength(2);
    for (const each of pairs) expect(each).toMatchObject({ chosen: right });
  });

  it.each([
    'one\ntwo\nthree',
    '1. Add. 2. Take. 3. Stop.',
    'It is so. Is it? Yes.',
    'a\r\n\r\nb',
    '一。二。',
  ])('of %j keep the answer through both formats of steps', async (answer) => {
    const { bench, set, decide } = await setForTest('correctness', [answer]);
    await decide(answer, { correct: true });
    for (const format of ['trl-stepwise', 'process-bench']) {
      const { rows } = await readAll(await exported(bench, set.id, format, 'steps.jsonl'));
      expect(rows).toMatchObject([{ answer, correct: true }]);
      const again = await readAll(
        fileWith('again.jsonl', jsonLines(...linesOf(await exported(bench, set.id, format, 'x.jsonl')))),
      );
      expect(again.rows[0].answer).toBe(answer);
    }
  });

  it('train a process verifier: a dataset of the export has the marks of the lines', async () => {
    const { bench, set, decide } = await setForTest('correctness', [right, wrong]);
    await decide(right, { correct: true });
    await decide(wrong, { correct: false, firstWrong: 1 });
    const { rows } = await readAll(await exported(bench, set.id, 'process-bench', 'bench.jsonl'));
    const { datasets } = bench.services.store;
    const id = await datasets.stage({ name: 'steps', source: 'test' });
    await datasets.append(id, rows, []);
    await datasets.finish(id, { hash: 'hash', doctor: noFindings });
    const { path } = await datasets.exportDemonstrations(id);
    const written = linesOf(join(bench.services.folder, path)) as { steps: unknown }[];
    expect(written.map(({ steps }) => steps)).toEqual(
      expect.arrayContaining([
        [true, null, true, null, true],
        [true, null, false, null, null],
      ]),
    );
  });

  it('are found by the text of an answer, newest first', async () => {
    const { bench, decide } = await setForTest('correctness', [right, wrong]);
    const { judgedAnswers } = bench.services.store;
    await decide(wrong, { correct: false, firstWrong: 1 });
    await decide(right, { correct: true });
    const [label] = await judgedAnswers.of('What is 2 + 3?', wrong);
    expect(label).toMatchObject({ labeler: 'ann', correct: false, firstWrong: 1 });
    expect(label.steps.map(([start, end]) => wrong.slice(start, end))).toEqual([
      'Add 2.',
      'Take 4.',
      'So 6.',
    ]);
    await decide(wrong, { correct: false });
    expect(await judgedAnswers.of('What is 2 + 3?', wrong)).toMatchObject([{ firstWrong: null }]);
    expect(await judgedAnswers.of('What is 2 + 4?', wrong)).toEqual([]);
  });

  it('show the steps of the dataset, which may be others than the text would give', async () => {
    const steps = ['Add 2.\n\nTake 3.', 'So 5.'];
    const { items } = await setForTest('correctness', [right], { steps, stepLabels: [true, null] });
    expect(items[0].steps).toEqual([
      [0, steps[0].length],
      [steps[0].length + 2, right.length],
    ]);
    const edited = await setForTest('correctness', ['edited'], { steps, stepLabels: [true, null] });
    expect(edited.items[0]).not.toHaveProperty('steps');
  });

  it('are refused in formats of other modes', async () => {
    const { bench, set, decide } = await setForTest('correctness', [right]);
    await decide(right, { correct: true });
    const refused = await rejected(exported(bench, set.id, 'label-studio-spans', 'x.json'));
    expect([refused.kind, refused.hint]).toEqual(['invalid-input', expect.stringContaining('trl-stepwise')]);
  });
});

describe('marked spans', () => {
  const spans = [
    { start: 0, end: 2, label: 'good' },
    { start: 13, end: 18, label: 'wrong', comment: 'why' },
  ];
  it('are written with their offsets and texts', async () => {
    const { bench, set, decide } = await setForTest('spans', [emoji]);
    await decide(emoji, { spans });
    const [own] = linesOf(await exported(bench, set.id, 'jsonl', 'own.jsonl'));
    expect(own).toMatchObject({ answer: emoji, mode: 'spans', spans, labeler: 'ann', reference: '5' });
    const [task] = JSON.parse(
      readFileSync(await exported(bench, set.id, 'label-studio-spans', 'ls.json'), 'utf8'),
    ) as { annotations: { result: { value: object }[] }[] }[];
    expect(task.annotations[0].result.map(({ value }) => value)).toMatchObject([
      { start: 0, end: 2, text: '😀', labels: ['good'] },
      { start: 13, end: 18, text: 'wrong', labels: ['wrong'] },
      { start: 13, end: 18, text: ['why'] },
    ]);
    const [record] = JSON.parse(
      readFileSync(await exported(bench, set.id, 'argilla-spans', 'ar.json'), 'utf8'),
    ) as object[];
    // offsets of Argilla count code points
    expect(record).toMatchObject({
      responses: {
        spans: [
          {
            value: [
              { start: 0, end: 1 },
              { start: 12, end: 17 },
            ],
          },
        ],
      },
    });
    const { rows } = await bench.api.labels.export({
      setId: set.id,
      path: join(temporaryFolder(), 'l.jsonl'),
    });
    expect(rows).toBe(1);
  });

  it('imply no preference, and cannot be written as one', async () => {
    const { bench, set, decide } = await setForTest('spans', [emoji]);
    await decide(emoji, { spans });
    expect((await rejected(exported(bench, set.id, 'trl-preference', 'x.jsonl'))).kind).toBe('invalid-input');
    expect((await rejected(bench.services.store.labelSets.exportPreferences(set.id))).kind).toBe(
      'invalid-input',
    );
    expect((await rejected(decide(emoji, { spans: [{ start: 1, end: 2, label: 'good' }] }))).where).toBe(
      'value.spans.0',
    );
  });
});
