import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { checkSpec } from '../../../engine/rl/run/check-spec.ts';
import { openWorldById, type World } from '../../../engine/worlds/index.ts';
import {
  apply,
  evaluate,
  intermediates,
  parse,
  print,
  type Expression,
  type Operator,
} from '../../../engine/worlds/expression.ts';
import { caught } from '../../support/errors.ts';

const world = openWorldById('arithmetic');
const range = (n: number) => Array.from({ length: n }, (_, i) => i);
/** True if a count is within four standard errors of the expected share. */
const isShare = (count: number, n: number, share: number) =>
  expect(Math.abs(count / n - share)).toBeLessThan(4 * Math.sqrt((share * (1 - share)) / n));

const { tree } = fc.letrec<{ tree: Expression }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.nat(9),
    fc.record(
      { op: fc.constantFrom<Operator>('+', '-', '*'), left: tie('tree'), right: tie('tree') },
      { noNullPrototype: true },
    ),
  ),
}));

describe('expressions', () => {
  test('parse inverts print', () => {
    fc.assert(
      fc.property(tree, (e) => {
        expect(parse(print(e))).toEqual(e);
      }),
    );
  });

  test('have the value that JavaScript computes for their text', () => {
    fc.assert(
      fc.property(tree, (e) => {
        expect(evaluate(e) + 0).toBe((new Function(`return ${print(e)}`)() as number) + 0);
      }),
    );
  });

  test('keep parentheses only where removing them changes the expression', () => {
    fc.assert(
      fc.property(tree, (e) => {
        const text = print(e);
        const open: number[] = [];
        [...text].forEach((char, i) => {
          if (char === '(') open.push(i);
          if (char !== ')') return;
          const from = open.pop() ?? 0;
          expect(parse(text.slice(0, from) + text.slice(from + 1, i) + text.slice(i + 1))).not.toEqual(e);
        });
      }),
    );
  });

  test.each([
    '',
    '+',
    '1+',
    '(1',
    '1)',
    '1 + 2',
    '01',
    '1/2',
    '--1',
    '1.5',
    '((1)',
    '1234567',
    '9'.repeat(300),
  ])('%j is not an expression', (text) => expect(parse(text)).toBeNull());
});

describe('problems', () => {
  const problems = range(4000).map((i) => world.problem('train', i, 3));

  test('have 1, 2 or 3 operations in the stated shares, in both splits', () => {
    const heldout = range(4000).map((i) => world.problem('heldout', i, 3));
    for (const split of [problems, heldout])
      for (const [level, share] of [
        [1, 0.35],
        [2, 0.4],
        [3, 0.25],
      ])
        isShare(split.filter((p) => p.level === level).length, 4000, share);
  });

  test('keep operands in 1–20 and all intermediate values in −99…99', () => {
    for (const { prompt, reference, level } of problems) {
      const expression = parse(prompt.slice(0, -2)) as Expression;
      expect(intermediates(expression)).toHaveLength(level);
      expect(intermediates(expression).every((v) => Math.abs(v) <= 99)).toBe(true);
      expect(prompt.match(/\d+/g)?.every((digits) => Number(digits) >= 1 && Number(digits) <= 20)).toBe(true);
      expect(String(evaluate(expression))).toBe(reference);
    }
  });

  test('use every operator and parentheses', () => {
    for (const symbol of '+-*()')
      expect(problems.filter((p) => p.prompt.includes(symbol)).length).toBeGreaterThan(200);
  });

  test('are unseen when held out: 500 of them have no prompt in common with 20,000 demonstrations', () => {
    const prompts = new Set(range(500).map((i) => world.problem('heldout', i, 0).prompt));
    expect(range(20_000).some((i) => prompts.has(world.demonstration(i, 1).prompt))).toBe(false);
  });
});

describe('demonstrations', () => {
  const of = (w: World, n: number) => range(n).map((i) => w.demonstration(i, 5));

  test('are wrong and rambling in the default shares, and in others on request', () => {
    const count = (kind: string, all: readonly { kind: string }[]) =>
      all.filter((d) => d.kind === kind).length;
    const usual = of(world, 5000);
    isShare(count('wrong', usual), 5000, 0.28);
    isShare(count('rambling', usual), 5000, 0.08);
    const clean = of(openWorldById('arithmetic', { wrong: 0, rambling: 0 }), 500);
    expect(count('right', clean)).toBe(500);
    expect(count('wrong', of(openWorldById('arithmetic', { wrong: 1, rambling: 0 }), 500))).toBe(500);
  });

  test('the worked example: precedence first, then the rest, then the answer', () => {
    const lines = ['4*3=12', '7+12=19', '#19'].join('\n');
    expect(world.verify('7+4*3=?', lines)).toEqual({
      correct: true,
      reward: 1,
      reason: 'right',
      steps: [
        { line: '4*3=12', holds: true, follows: true },
        { line: '7+12=19', holds: true, follows: true },
      ],
    });
    const clean = openWorldById('arithmetic', { wrong: 0, rambling: 0 });
    for (const { prompt, answer } of of(clean, 1000)) {
      const verdict = clean.verify(prompt, answer);
      expect(
        verdict.steps?.every((step) => step.holds && step.follows),
        `${prompt} ${answer}`,
      ).toBe(true);
      expect(verdict.steps).toHaveLength(intermediates(parse(prompt.slice(0, -2)) as Expression).length);
    }
  });

  test('do the left one of two possible operations first', () => {
    const firsts = of(world, 20_000).flatMap(({ prompt, answer }) => {
      const left = /^(\d+\*\d+)[-+]\d+\*\d+=\?$/.exec(prompt)?.[1];
      return left === undefined ? [] : [answer.startsWith(`${left}=`)];
    });
    expect(firsts.length).toBeGreaterThan(20);
    expect(firsts.every(Boolean)).toBe(true);
  });

  test('contain exactly one false step if wrong, and carry its value forward', () => {
    for (const { prompt, answer } of of(world, 3000).filter((d) => d.kind === 'wrong')) {
      const steps = world.verify(prompt, answer).steps ?? [];
      expect(
        steps.filter((step) => !step.holds),
        `${prompt} ${answer}`,
      ).toHaveLength(1);
      expect(steps.every((step) => step.follows)).toBe(true);
      expect(answer.split('\n').at(-1)).toBe(`#${steps.at(-1)?.line.split('=')[1]}`);
    }
  });

  test('are right if rambling, with additional lines that are true', () => {
    const rambling = of(world, 5000).filter((d) => d.kind === 'rambling');
    const idle = rambling.map(({ prompt, answer }) => {
      const verdict = world.verify(prompt, answer);
      expect(verdict.correct).toBe(true);
      expect(verdict.steps?.every((step) => step.holds)).toBe(true);
      return (verdict.steps?.length ?? 0) - intermediates(parse(prompt.slice(0, -2)) as Expression).length;
    });
    expect(Math.min(...idle)).toBeGreaterThanOrEqual(1);
  });
});

describe('verifier', () => {
  const judge = (completion: string) => world.verify('7+4*3=?', completion);

  test.each([
    ['4*3=12\n7+12=19\n#19', 'right', true],
    ['#19', 'right', true],
    ['4*3=13\n7+13=20\n#19', 'right', true],
    ['4*3=12\n7+12=19\n#20', 'wrong answer', false],
    ['4*3=12\n7+12=19\n#19\n', 'text after the answer', false],
    ['#19\n4*3=12', 'text after the answer', false],
    ['#19\n#19', 'more than one answer line', false],
    ['4*3=12\n7+12=19', 'no answer line', false],
    ['', 'no answer line', false],
    ['#019', 'malformed answer', false],
    ['#19 ', 'malformed answer', false],
    ['# 19', 'malformed answer', false],
    ['#+19', 'malformed answer', false],
    ['#１９', 'malformed answer', false],
    [`${'1'.repeat(500)}\n#19`, 'too long', false],
  ])('%j is %s', (completion, reason, correct) =>
    expect(judge(completion)).toMatchObject({ reason, correct, reward: Number(correct) }),
  );

  test('accepts exactly one answer line for a problem', () => {
    fc.assert(
      fc.property(fc.nat(500), fc.integer({ min: -40, max: 40 }), (i, guess) => {
        const problem = world.problem('heldout', i, 0);
        expect(world.verify(problem, `#${guess}`).correct).toBe(String(guess) === problem.reference);
      }),
    );
  });

  test('follows worked steps in any order that the expression permits', () => {
    expect(
      world
        .verify('1*2+3*4=?', '3*4=12\n1*2=2\n2+12=14\n#14')
        .steps?.every((step) => step.holds && step.follows),
    ).toBe(true);
    expect(world.verify('1*2+3*4=?', '2+3=5\n1*5=5\n#14').steps?.map((step) => step.follows)).toEqual([
      false,
      false,
    ]);
  });

  test('never gives a negative zero', () => {
    expect(Object.is(apply('*', -3, 0), 0)).toBe(true);
    expect(world.verify('(1-4)*0=?', '1-4=-3\n-3*0=0\n#0').correct).toBe(true);
    expect(world.verify('(1-4)*0=?', '#-0').reason).toBe('malformed answer');
  });
});

/** Problems 0 to 3 of the training split with seed 3, from before operands had a minimum. */
const EARLIER = ['0-2=?', '3-(9-1*4)=?', '0-1-5=?', '1*4+3=?'];

describe('parameters', () => {
  test('rejects shares with a sum above 1, with the field’s name', () => {
    expect(caught(() => openWorldById('arithmetic', { oneStep: 0.8, twoSteps: 0.5 })).message).toContain(
      'twoSteps',
    );
    expect(caught(() => openWorldById('arithmetic', { wrong: 0.8, rambling: 0.5 })).message).toContain(
      'rambling',
    );
    expect(
      caught(() => openWorldById('arithmetic', { largestOperand: 40, largestValue: 30 })).message,
    ).toContain('largestValue');
    expect(caught(() => openWorldById('arithmetic', { smallestOperand: 21 })).message).toContain(
      'smallestOperand',
    );
    expect(caught(() => openWorldById('arithmetic', { largestOperand: 0 })).kind).toBe('invalid-input');
  });

  test('a world stored before operands had a minimum still has the minimum 0', () => {
    const { smallestOperand, ...before } = openWorldById('arithmetic', {
      smallestOperand: 0,
      largestOperand: 9,
      largestValue: 30,
    }).params;
    expect(smallestOperand).toBe(0);
    const stored = openWorldById('arithmetic', before);
    expect(stored.params).toEqual({ ...before, smallestOperand: 0 });
    // the first problems of the training split, as stored then
    expect(range(4).map((i) => stored.problem('train', i, 3).prompt)).toEqual(EARLIER);
    const { task } = checkSpec({
      method: { id: 'sft' },
      models: { policy: { kind: 'new', architecture: {}, tokenizer: { kind: 'characters' } } },
      task: { kind: 'world', id: 'arithmetic', params: before },
    });
    expect(task).toMatchObject({ params: { smallestOperand: 0 } });
    expect(openWorldById('arithmetic', { largestOperand: 9, largestValue: 30 }).params.smallestOperand).toBe(
      1,
    );
  });

  test('larger worlds keep to their limits', () => {
    const large = openWorldById('arithmetic', {
      largestOperand: 20,
      largestValue: 99,
      oneStep: 0,
      twoSteps: 0.2,
    });
    for (const i of range(1000)) {
      const { prompt, answer, kind } = large.demonstration(i, 1);
      expect(large.verify(prompt, answer).correct).toBe(kind !== 'wrong');
      expect(answer.length + 1).toBeLessThanOrEqual(large.maxTokens);
      expect(prompt.length).toBeLessThanOrEqual(large.maxPromptTokens);
    }
  });

  test('a world too small to split is rejected with an error instead of looping forever', () => {
    const tiny = openWorldById('arithmetic', { largestOperand: 1, oneStep: 1, twoSteps: 0, heldout: 0.01 });
    expect(caught(() => tiny.problem('heldout', 0, 0))).toMatchObject({
      kind: 'invalid-input',
      message: expect.stringContaining('no heldout problem of level 1'),
    });
  });
});
