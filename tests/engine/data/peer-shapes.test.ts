import { describe, expect, test } from 'vitest';
import { readDataset, type Findings } from '../../../engine/data/index.ts';
import { testWithData } from '../../support/data.ts';
import { jsonLines, readRecords, readText } from '../../support/read-dataset.ts';

const hh = (...turns: readonly string[]): string =>
  turns.map((turn, i) => `\n\n${i % 2 === 0 ? 'Human' : 'Assistant'}: ${turn}`).join('');
const shown = ({ rows }: Awaited<ReturnType<typeof readRecords>>) =>
  rows.map(({ prompt, answer, correct }) => [prompt, answer, correct]);

describe('HH-RLHF transcripts', () => {
  test('the prompt ends with the last shared human turn, never inside an answer', async () => {
    const whole = await readRecords(
      { chosen: hh('q', 'The sky is blue.'), rejected: hh('q', 'The sky is green.') },
      {
        chosen: hh('q', 'Say\n\nAssistant: x. One'),
        rejected: hh('q', 'Say\n\nAssistant: x. Two'),
      },
      { chosen: hh('q', 'a', 'r', 'A: 1'), rejected: hh('q', 'a', 'r', 'A: 2') },
    );
    expect(shown(whole)).toEqual([
      ['\n\nHuman: q\n\nAssistant:', 'The sky is blue.', true],
      ['\n\nHuman: q\n\nAssistant:', 'The sky is green.', false],
      ['\n\nHuman: q\n\nAssistant:', 'Say\n\nAssistant: x. One', true],
      ['\n\nHuman: q\n\nAssistant:', 'Say\n\nAssistant: x. Two', false],
      ['\n\nHuman: q\n\nAssistant: a\n\nHuman: r\n\nAssistant:', 'A: 1', true],
      ['\n\nHuman: q\n\nAssistant: a\n\nHuman: r\n\nAssistant:', 'A: 2', false],
    ]);
  });

  test('a pair without an answer is kept aside, though lines must be good; another fault refuses', async () => {
    const good = { chosen: hh('q', 'a'), rejected: hh('q', 'b') };
    const whole = await readRecords(good, { chosen: hh('q', ''), rejected: hh('q', 'b') });
    expect(whole.rows).toHaveLength(2);
    expect(whole.rejected).toMatchObject([{ line: 2, reason: 'has no answer in "chosen"' }]);
    expect(whole.doctor).toMatchObject({ rows: 1, rejected: 1, aside: 1 });
    await expect(readRecords(good, { chosen: hh('q', 'a'), rejected: 3 })).rejects.toThrow('Line 2');
  });

  testWithData('real ones import without leave to skip lines', 'hh-harmless-1156.jsonl', async (path) => {
    let doctor: Findings | null = null;
    for await (const event of readDataset(path)) {
      if (event.state === 'done') doctor = event.doctor;
      else for (const row of event.rows) expect(row.prompt).toMatch(/\n\nAssistant:$/);
    }
    expect(doctor).toMatchObject({ rows: 1152, rejected: 4, aside: 4 });
  });
});

describe('formats of other tools', () => {
  test('LLaMA-Factory: history and system message belong to the prompt', async () => {
    const whole = await readRecords({
      instruction: 'Now?',
      input: 'Please.',
      system: 'Be kind.',
      history: [['Hello', 'Hi']],
      chosen: 'Yes.',
      rejected: 'No.',
    });
    expect(shown(whole)[0]).toEqual([
      'system: Be kind.\n\nuser: Hello\n\nassistant: Hi\n\nuser: Now?\n\nPlease.',
      'Yes.',
      true,
    ]);
  });

  test('ShareGPT: conversations become messages, roles by their names', async () => {
    const whole = await readRecords({
      conversations: [
        { from: 'human', value: 'q' },
        { from: 'gpt', value: 'a' },
      ],
      system: 's',
    });
    expect(whole.rows[0]).toMatchObject({
      prompt: 'system: s\n\nuser: q',
      answer: 'a',
      messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'q' },
        { role: 'assistant', content: 'a' },
      ],
    });
  });

  const task = (...selected: readonly string[]) => ({
    data: { prompt: 'p', one: 'x', two: 'y' },
    annotations: selected.map((side) => ({
      was_cancelled: side === 'cancelled',
      result: [{ type: 'pairwise', to_name: ['one', 'two'], value: { selected: side } }],
    })),
  });
  test('Label Studio: the majority of annotations that were not cancelled decides; a draw leaves unmarked', async () => {
    const text = JSON.stringify([task('left'), task('right', 'cancelled'), task('left', 'right'), task()]);
    const { rows } = await readText('a.json', text);
    expect(rows.map(({ answer, correct }) => [answer, correct])).toEqual([
      ['x', true],
      ['y', false],
      ['x', false],
      ['y', true],
      ['x', null],
      ['y', null],
      ['x', null],
      ['y', null],
    ]);
  });

  test('Argilla: rankings of version 1 and 2, a chosen label, a tie, and no response', async () => {
    const fields = { prompt: 'p', r1: 'x', r2: 'y', r3: 'z' };
    const responses = [
      { preference: [{ value: ['r2', 'r1', 'r3'], user_id: 'u' }] },
      [
        {
          values: {
            rank: {
              value: [
                { value: 'r1', rank: 2 },
                { value: 'r2', rank: 1 },
                { value: 'r3', rank: 3 },
              ],
            },
          },
        },
      ],
      { best: [{ value: 'r3' }] },
      { rank: [{ value: ['r1', 'r2', 'r3'].map((value) => ({ value, rank: 1 })) }] },
      {},
    ];
    const { rows } = await readText(
      'a.jsonl',
      jsonLines(...responses.map((each) => ({ fields, responses: each }))),
    );
    const marks = Array.from({ length: 5 }, (_none, i) =>
      rows.slice(3 * i, 3 * i + 3).map(({ correct }) => correct),
    );
    expect(marks).toEqual([
      [false, true, false],
      [false, true, false],
      [false, false, true],
      [null, null, null],
      [null, null, null],
    ]);
    expect(rows[0].extra).toMatchObject({ rank: 2 });
  });

  test('TRL stepwise and ProcessBench keep steps with their marks', async () => {
    const { rows } = await readRecords(
      { prompt: 'p', completions: ['s', 't'], labels: [true, true] },
      { prompt: 'p', completions: ['s', 't'], labels: [true, false] },
    );
    expect(rows.map(({ answer, correct, extra }) => [answer, correct, extra])).toEqual([
      ['s\nt', true, { steps: ['s', 't'], stepLabels: [true, true] }],
      ['s\nt', false, { steps: ['s', 't'], stepLabels: [true, false] }],
    ]);
    const bench = await readRecords(
      { id: 1, generator: 'g', problem: 'p', steps: ['a', 'b', 'c'], final_answer_correct: false, label: 1 },
      { id: 2, generator: 'g', problem: 'p', steps: ['a', 'b'], final_answer_correct: true, label: -1 },
    );
    expect(bench.rows.map(({ correct, source, extra }) => [correct, source, extra?.stepLabels])).toEqual([
      [false, 'g', [true, false, null]],
      [true, 'g', [true, true]],
    ]);
    const out = await readText(
      'a.jsonl',
      jsonLines({ problem: 'p', steps: ['a'], label: 0 }, { problem: 'p', steps: ['a'], label: 1 }),
      true,
    );
    expect(out.rejected).toMatchObject([{ line: 2, reason: 'has in "label" no number of a step (-1 to 0)' }]);
  });

  test('TRL: unpaired conversations with a mark', async () => {
    const { rows } = await readRecords({
      prompt: [{ role: 'user', content: 'q' }],
      completion: [{ role: 'assistant', content: 'a' }],
      label: false,
    });
    expect(rows[0]).toMatchObject({ prompt: 'q', answer: 'a', correct: false, messages: [{}, {}] });
  });
});
