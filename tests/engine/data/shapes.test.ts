import { describe, expect, test } from 'vitest';
import { promptIdOf, type DataRow } from '../../../engine/data/index.ts';
import { rejected } from '../../support/errors.ts';
import { fileWith, jsonLines, readAll } from '../../support/read-dataset.ts';

describe('shapes', () => {
  const read = async (...records: unknown[]) =>
    (await readAll(fileWith('a.jsonl', jsonLines(...records)))).rows;
  const pair = (rows: DataRow[]) =>
    rows.map(({ prompt, answer, correct, source }) => [prompt, answer, correct, source]);

  test('explicit preferences', async () => {
    expect(pair(await read({ prompt: 'The sky is', chosen: ' blue.', rejected: ' green.' }))).toEqual([
      ['The sky is', ' blue.', true, 'chosen'],
      ['The sky is', ' green.', false, 'rejected'],
    ]);
  });

  test('implicit preferences: the prompt is the shared prefix, cut at a whole word', async () => {
    expect(pair(await read({ chosen: 'The sky is blue.', rejected: 'The sky is black.' }))).toEqual([
      ['The sky is', 'blue.', true, 'chosen'],
      ['The sky is', 'black.', false, 'rejected'],
    ]);
  });

  test(
    'implicit preferences of a dialogue: the prompt ends at the last shared assistant marker, even if ' +
      'the answers share more',
    async () => {
      const dialogue = '\n\nHuman: Hi\n\nAssistant: Hello.\n\nHuman: How are you?\n\nAssistant:';
      const rows = await read({
        chosen: `${dialogue} I am well, thank you.`,
        rejected: `${dialogue} I am a program.`,
      });
      expect(rows.map((row) => row.answer)).toEqual(['I am well, thank you.', 'I am a program.']);
      expect(rows[0].prompt.endsWith('How are you?\n\nAssistant:')).toBe(true);
    },
  );

  test('conversations, with the prompt in a column, as text, or shared', async () => {
    const user = { role: 'user', content: 'What color is the sky?' };
    const [blue, green] = ['It is blue.', 'It is green.'].map((content) => ({ role: 'assistant', content }));
    const expected = [
      [user.content, blue.content, true, 'chosen'],
      [user.content, green.content, false, 'rejected'],
    ];
    expect(pair(await read({ prompt: [user], chosen: [blue], rejected: [green] }))).toEqual(expected);
    expect(pair(await read({ prompt: user.content, chosen: [user, blue], rejected: [user, green] }))).toEqual(
      expected,
    );
    expect(pair(await read({ chosen: [user, blue], rejected: [user, green] }))).toEqual(expected);
    const path = fileWith('a.jsonl', jsonLines({ chosen: [user, blue], rejected: [user] }));
    expect((await rejected(readAll(path))).message).toContain('does not end with the assistant');
  });

  test('answers under other names, with a mark, a reference and a source', async () => {
    const [row] = await read({
      instruction: 'Add 1 and 2',
      output: '3',
      is_correct: 1,
      target: 3,
      model: 'tiny',
    });
    expect(row).toMatchObject({
      prompt: 'Add 1 and 2',
      answer: '3',
      correct: true,
      reference: '3',
      source: 'tiny',
    });
  });

  test('GSM8K', async () => {
    const [row] = await read({ question: 'Q', answer: 'work\n#### 42' });
    expect(row).toMatchObject({ prompt: 'Q', answer: 'work\n#### 42', correct: true, reference: '42' });
  });

  test('marked solutions of several models', async () => {
    const rows = await read({
      question: 'Q',
      ground_truth: 'G',
      small: { is_correct: false, solution: 'x' },
      large: { is_correct: true, solution: 'y' },
    });
    expect(pair(rows)).toEqual([
      ['Q', 'x', false, 'small'],
      ['Q', 'y', true, 'large'],
    ]);
    expect(rows.map((row) => [row.line, row.row, row.reference])).toEqual([
      [1, 0, 'G'],
      [1, 1, 'G'],
    ]);
  });

  test('a prompt’s id does not depend on line ends, surrounding blanks or Unicode form', () => {
    expect(promptIdOf('  Caf\u00e9?\r\nyes\n')).toBe(promptIdOf('Cafe\u0301?\nyes'));
    expect(promptIdOf('a b')).not.toBe(promptIdOf('a  b'));
  });
});
