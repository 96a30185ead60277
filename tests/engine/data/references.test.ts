import { describe, expect, test } from 'vitest';
import { rejected } from '../../support/errors.ts';
import { fileWith, goodRow, jsonLines, readAll } from '../../support/read-dataset.ts';

describe('references', () => {
  const imported = async (...records: object[]) => readAll(fileWith('a.jsonl', jsonLines(...records)));

  test('a prompt and a reference make a dataset whose expected answer is right', async () => {
    const { rows, doctor } = await imported(
      { question: 'Two and two?', reference: '4' },
      { question: 'Two and one?', reference: 3 },
    );
    expect(
      rows.map(({ prompt, answer, reference, correct }) => ({ prompt, answer, reference, correct })),
    ).toEqual([
      { prompt: 'Two and two?', answer: '4', reference: '4', correct: true },
      { prompt: 'Two and one?', answer: '3', reference: '3', correct: true },
    ]);
    expect(doctor).toMatchObject({
      references: 2,
      verifier: 'match/numeric',
      why: expect.stringContaining('"reference"'),
    });
  });

  test('test code for answers is not itself an answer', async () => {
    const { rows, doctor } = await imported({ prompt: 'Write add.', tests: 'assert(add(1, 2) === 3)' });
    expect(rows[0]).toMatchObject({ answer: '', reference: 'assert(add(1, 2) === 3)', correct: null });
    expect(doctor.verifier).toBe('match/unit-test');
  });

  test('an empty reference makes the line invalid', async () => {
    expect(
      await rejected(imported({ prompt: 'a', reference: '1' }, { prompt: 'b', reference: ' ' })),
    ).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('"reference"'),
      where: expect.stringMatching(/a\.jsonl:2$/),
    });
  });

  test.each<[string, readonly (string | object | null)[]]>([
    ['match/numeric', ['3', '#### 1,000', '-2.5', 'A: 18']],
    ['match/choice', ['A', '(b)', 'C.']],
    ['match/json-schema', [{ type: 'object' }, '{"enum":[1,2]}']],
    ['match/unit-test', ['assert.equal(f(1), 2);', 'assert(g())']],
    ['match/normalised', ['Paris', 'the Nile', '7']],
  ])('suggests %s for %j', async (verifier, references) => {
    const { doctor } = await imported(
      ...references.map((reference, i) => ({ prompt: `q${i}`, answer: 'x', reference })),
    );
    expect(doctor).toMatchObject({ references: references.length, verifier });
  });

  test('suggests a choice verifier for options in the prompt, and nothing without references', async () => {
    const prompt = 'Which?\nA. red\nB. green';
    expect(
      (await imported({ prompt, reference: 'red' }, { prompt: `${prompt}!`, reference: 'B' })).doctor
        .verifier,
    ).toBe('match/choice');
    expect((await imported(goodRow(1))).doctor).toMatchObject({ references: 0, verifier: null });
  });
});
