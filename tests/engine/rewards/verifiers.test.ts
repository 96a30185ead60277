import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { chosenOption, normalised, optionsIn } from '../../../engine/answers/choices.ts';
import { finalNumber } from '../../../engine/answers/numbers.ts';
import { theSandbox } from '../../../engine/sandbox/index.ts';
import { testWithData } from '../../support/data.ts';
import { rejected } from '../../support/errors.ts';
import { judge, judged, rewardOf, row } from '../../support/verdicts.ts';

afterAll(() => theSandbox().close());

describe('match/numeric', () => {
  test('parses both sides in the same way', async () => {
    expect(
      await judged('match/numeric', '#### 1,234.50', [
        '1234.5',
        'So $1,234.50.',
        '\\boxed{1234.5}',
        '1234',
        'none',
        '',
      ]),
    ).toEqual([1, 1, 1, 0, 0, 0]);
    expect(await judged('match/numeric', '0.5', ['1/2', '50%', '.5', '50', '0.50001'])).toEqual([
      1, 1, 1, 0, 0,
    ]);
    expect(await judged('match/numeric', '20%', ['20', '0.2', '20 %', '2'])).toEqual([1, 1, 1, 0]);
    expect(
      await judged('match/numeric', '12345678901234567890', [
        '12,345,678,901,234,567,890',
        '12345678901234567891',
      ]),
    ).toEqual([1, 0]);
  });

  test('compares within the given tolerance', async () => {
    expect(await judged('match/numeric', '100', ['100.4', '99', '102'], { tolerance: 0.5 })).toEqual([
      1, 0, 0,
    ]);
    expect(
      await judged('match/numeric', '100', ['100.4', '99', '102'], { tolerance: 0, relative: 0.01 }),
    ).toEqual([1, 1, 0]);
  });

  testWithData(
    'agrees with the marks of 3,600 model solutions of GSM8K',
    'gsm8k-model-solutions-900.jsonl',
    async (path) => {
      type Solution = { is_correct: boolean; solution: string };
      const records = readFileSync(path, 'utf8')
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Record<string, string | Solution>);
      const solutions = records.flatMap(({ question, ground_truth: truth, ...models }) =>
        Object.values(models).map((solution) => ({ question, truth, ...(solution as Solution) })),
      );
      const scores = await judge(
        'match/numeric',
        solutions.map(({ question, truth, solution }) => row(truth as string, solution, question as string)),
      );
      expect(solutions).toHaveLength(3600);
      expect(solutions.filter((solution, i) => solution.is_correct === (scores[i] === 1))).toHaveLength(3600);
    },
  );
});

describe('match/exact, match/normalised', () => {
  test('compare characters, or only words', async () => {
    expect(
      await judged('match/exact', 'The Eiffel Tower', [
        'The Eiffel Tower\n',
        'the eiffel tower',
        'The Eiffel Tower.',
      ]),
    ).toEqual([1, 0, 0]);
    expect(
      await judged('match/normalised', 'The Eiffel Tower', [
        'eiffel  tower!',
        'An Eiffel-Tower',
        'Eiffel',
        'Tower Eiffel',
        '',
      ]),
    ).toEqual([1, 1, 0, 0, 0]);
    expect(await judged('match/normalised', 'Ｃafé', ['café.', 'cafe'])).toEqual([1, 0]);
  });

  test('compare the selected part', async () => {
    expect(
      await judged('match/exact', 'Rome', ['I think:\nRome', 'Rome\nor so'], { part: 'last-line' }),
    ).toEqual([1, 0]);
    expect(
      await judged(
        'match/exact',
        'Rome',
        ['#### Rome', '#### Paris\n#### Rome', 'Rome', '\\boxed{Rome}', '\\boxed{Rome} #### Paris'],
        { part: 'marked' },
      ),
    ).toEqual([1, 1, 0, 1, 0]);
    expect(
      await judged('match/exact', 'Rome', ['=> Rome', '#### Rome'], { part: 'marked', mark: '=>' }),
    ).toEqual([1, 0]);
  });

  test('reject a reference of articles alone, with its prompt', async () => {
    expect(await rejected(judge('match/normalised', [row('the', 'x', 'Which article?')]))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('Which article?'),
    });
  });
});

describe('match/choice', () => {
  const question = 'Which is red?\nA. the sky\nB. a rose\nC) grass';
  const inline = 'Which? (A) one (B) two';
  const choices = (reference: string, answers: readonly string[], prompt = question) =>
    judge(
      'match/choice',
      answers.map((answer) => row(reference, answer, prompt)),
    );

  test('reads options from the question', () => {
    expect([...optionsIn(question)]).toEqual([
      ['A', 'the sky'],
      ['B', 'a rose'],
      ['C', 'grass'],
    ]);
    expect([...optionsIn(inline).values()]).toEqual(['one', 'two']);
    expect(optionsIn('A. only one').size + optionsIn('Which?').size + optionsIn('B. x\nC. y').size).toBe(0);
  });

  test.each([
    'B',
    'b',
    '(B)',
    'B.',
    'B) a rose',
    'A rose',
    'The answer is B',
    'the answer is (B).',
    'Answer: B',
    'Thinking about A.\nSo the answer is: a rose',
    '\\boxed{B}',
    '\\boxed{\\text{B}}',
    '#### B',
    '**B**',
    'I would say (B) since roses are',
  ])('%j selects B', (answer) => expect(chosenOption(answer, optionsIn(question))).toBe('B'));
  test.each(['', 'D', 'rose or sky', 'A dog', 'the answer is not there', 'bee'])(
    '%j selects nothing',
    (answer) => expect(chosenOption(answer, optionsIn(question))).toBeNull(),
  );

  test('accepts letters or words as references', async () => {
    for (const reference of ['B', '(b)', 'a rose', 'B. a rose'])
      expect(await choices(reference, ['B', 'rose', 'The answer is B.', 'A', 'sky', ''])).toEqual([
        1, 1, 1, 0, 0, 0,
      ]);
    expect(await choices('B', ['two', 'one', '(B)'], inline)).toEqual([1, 0, 1]);
    expect(await choices('Rome', ['rome', 'Paris'], 'Capital of Italy?')).toEqual([1, 0]);
  });
});

describe('any text', () => {
  const references: Record<string, string> = {
    'match/json-schema': '{"type":"object"}',
    'match/pattern': 'a.*b',
    'match/unit-test': 'assert(true)',
    'match/choice': 'B',
  };
  test.each([
    'match/numeric',
    'match/normalised',
    'match/exact',
    'match/choice',
    'match/pattern',
    'match/json-schema',
  ])('%s gives 0 or 1 without throwing', async (id) => {
    const scorer = await rewardOf(id).open({}, { reference: true });
    const texts = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc
        .array(
          fc.constantFrom(
            '#### ',
            '\\boxed{',
            '}',
            '1,',
            '-',
            '3/4',
            '%',
            '(B)',
            'answer is ',
            '\n',
            '```',
            '{',
            '"a":',
            '$',
            'e9',
            'A. x',
          ),
        )
        .map((parts) => parts.join('')),
    );
    await fc.assert(
      fc.asyncProperty(texts, texts, async (completion, prompt) => {
        const [score] = await scorer.score([{ ...row(references[id] ?? '7', completion, prompt) }]);
        expect([0, 1]).toContain(score);
      }),
      { numRuns: 150 },
    );
    expect(
      await scorer.score([row(references[id] ?? '7', `${references[id] ?? '7'}\n`.repeat(100_000))]),
    ).toEqual(Float64Array.of(0));
  });

  test('parsing takes time proportional to the text', () => {
    for (const unit of [
      '1',
      '1,',
      '1,111',
      '-',
      '$',
      '1 ',
      '(A)',
      '\\boxed{',
      '1/',
      'answer ',
      '.5',
      '\\frac{1}{',
    ]) {
      const text = unit.repeat(Math.floor(90_000 / unit.length));
      const began = performance.now();
      finalNumber(text);
      chosenOption(text, optionsIn(text));
      normalised(text);
      expect(performance.now() - began, unit).toBeLessThan(5000);
    }
  });

  test('rejects a row without a reference, with its prompt', async () => {
    expect(await rejected(judge('match/numeric', [row(null, '7', 'How many?')]))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringMatching(/How many\?.*missing/),
      where: 'rewards: match/numeric',
    });
    expect(await rejected(judge('match/numeric', [row('none', '7')]))).toMatchObject({
      message: expect.stringContaining('has no number: "none"'),
    });
  });
});
