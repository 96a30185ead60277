/** Operators of self-made data, by hand; and what refuses each operator before anything runs. */
import { describe, expect, it } from 'vitest';
import { checkSpec, operators, planNodes } from '../../engine/index.ts';
import { caught } from '../support/errors.ts';
import { operated as made, planRow as row, planTexts as texts } from '../support/plan-rows.ts';
import { smallSpec } from '../support/workspace.ts';

describe('verdicts (Tango)', () => {
  const rows = [
    row('p>', 'a\nb\n#', 1, { correct: true }),
    row('q>', 'c\nd\n#', 1, { correct: true }),
    row('r>', 'e\n#', 0, { correct: false }),
    row('s>', 'f\n#'),
  ];

  it('of planted errors mark exactly the lines that were replaced, by lines of other right answers', () => {
    const own = made(rows, ['verdicts', { share: 0.5, copies: 64 }]);
    expect(own).toHaveLength(128);
    let replaced = 0;
    for (const { prompt, answer } of own) {
      const [, name, text] = /^([pq]>)([\s\S]*)\|\|\|$/.exec(prompt) ?? [];
      const before = { 'p>': ['a', 'b'], 'q>': ['c', 'd'] }[name] ?? [];
      const lines = text.split('\n');
      expect(lines[2]).toBe('#');
      const holds = before.map((line, at) => line === lines[at]);
      expect(answer).toBe([...holds, holds.every(Boolean)].map((each) => (each ? 'Y' : 'N')).join(''));
      for (const line of lines.slice(0, -1)) expect('abcd').toContain(line);
      replaced += holds.filter((each) => !each).length;
    }
    // 256 lines, each replaced with probability ½
    expect(Math.abs(replaced / 256 - 0.5)).toBeLessThan(4 * Math.sqrt(0.25 / 256));
    expect(made(rows, ['verdicts', { seed: 1 }])).not.toEqual(made(rows, ['verdicts', { seed: 2 }]));
  });

  it('by the outcome mark every line as the whole, and leave out what nobody marked', () =>
    expect(texts(made(rows, ['verdicts', { by: 'outcome', right: '+', wrong: '-', cue: '?' }]))).toEqual([
      ['p>a\nb\n#???', '+++', true],
      ['q>c\nd\n#???', '+++', true],
      ['r>e\n#??', '--', true],
    ]));
});

describe('pairs across time (Temporal Self-Rewarding)', () => {
  const at = (source: string) => ({ source });
  const rows = [
    row('p', 'past low', 1, at('self.2.past')),
    row('p', 'past high', 5, at('self.2.past')),
    row('p', 'now', 3, at('self.2.write')),
    row('p', 'future', 4, at('self.2.ahead')),
    row('q', 'now', 2, at('self.2.write')),
    row('r', 'past', 6, at('self.2.past')),
    row('r', 'now', 2, at('self.2.write')),
    row('s', 'same', 1, at('self.2.past')),
    row('s', 'same', 9, at('self.2.write')),
  ];
  const params = { chosen: ['write', 'ahead'], rejected: ['past'] };

  it('prefer the best of the current and the future model to the worst of the past one', () => {
    // q: the past did not answer; r: it answered better; s: the answers are equal
    expect(texts(made(rows, ['pair-by-run', params]))).toEqual([
      ['p', 'future', true],
      ['p', 'past low', false],
    ]);
    expect(made(rows, ['pair-by-run', { ...params, margin: 3 }])).toEqual([]);
    expect(made(rows, ['pair-by-run', { ...params, margin: -9 }]).map(({ prompt }) => prompt)).toEqual([
      'p',
      'p',
      'r',
      'r',
    ]);
    expect(texts(made(rows, ['pair-by-run', { chosen: ['write'], rejected: ['past'] }]))[0]).toEqual([
      'p',
      'now',
      true,
    ]);
  });

  it('reject wrong answers of the weak model under confident ones (weak-to-strong reasoning, stage two)', () => {
    const voted = [
      ...['7', '7', '8'].map((answer) => row('p', answer, 0, at('sure'))),
      ...['9', '7'].map((answer) => row('p', answer, 0, at('weak'))),
      ...['1', '1'].map((answer) => row('q', answer, 0, at('sure'))),
      row('q', '1', 0, at('weak')),
      ...['2', '3'].map((answer) => row('r', answer, 0, at('sure'))),
      row('r', '4', 0, at('weak')),
    ];
    // q: the weak model agrees; r: the strong one is not sure. Its own other answer to p is not rejected.
    expect(
      texts(
        made(
          voted,
          ['majority', { by: 'sure', agreement: 0.6 }],
          ['pair-by-run', { chosen: ['sure'], rejected: ['weak'], column: 'correct' }],
        ),
      ),
    ).toEqual([
      ['p', '7', true],
      ['p', '9', false],
    ]);
  });
});

it('pairs carry the agreement of two rankings as a soft label (CREAM)', () => {
  const scored = (prompt: string, ...values: [now: number, before: number][]) =>
    values.map(([now, before], k) => row(prompt, `${prompt}${k}`, 0, { extra: { now, before } }));
  const rows = [...scored('p', [1, 1], [2, 2], [3, 3]), ...scored('q', [1, 2], [2, 3], [3, 1])];
  const pairs = made(rows, ['consistent-pair', { current: 'now', previous: 'before' }]);
  // τ = 1 and −1/3: C = (1 + 1/3) / 2
  expect(pairs.map(({ answer, correct }) => [answer, correct])).toEqual([
    ['p2', true],
    ['p0', false],
    ['q2', true],
    ['q0', false],
  ]);
  for (const { extra } of pairs) expect(extra?.['pair agreement']).toBeCloseTo(2 / 3, 12);
});

it('pairs are weighted by the certainty of several estimators (UPO)', () => {
  const scored = (prompt: string, answer: string, one: number, two: number) =>
    row(prompt, answer, 0, { extra: { one, two } });
  const log3 = Math.log(3);
  const rows = [
    // both give the best ¾ over the worst: no disagreement
    scored('p', 'good', log3, log3),
    scored('p', 'bad', 0, 0),
    // σ(4) and σ(−1): they disagree
    scored('q', 'best', 4, -1),
    scored('q', 'worst', 0, 0),
    scored('r', 'only', 1, Number.NaN),
    scored('r', 'other', 2, 2),
  ];
  const columns = ['one', 'two'];
  const pairs = made(rows, ['uncertain-pair', { columns }]);
  expect(texts(pairs)).toEqual([
    ['p', 'good', true],
    ['p', 'bad', false],
    ['q', 'best', true],
    ['q', 'worst', false],
  ]);
  expect(pairs[0].extra).toMatchObject({ uncertainty: 0, 'pair weight': 1 });
  const bits = (p: number) => -p * Math.log2(p) - (1 - p) * Math.log2(1 - p);
  const [a, b] = [1 / (1 + Math.exp(-4)), 1 / (1 + Math.exp(1))];
  const byHand = bits((a + b) / 2) - (bits(a) + bits(b)) / 2;
  expect(pairs[2].extra?.uncertainty).toBeCloseTo(byHand, 12);
  expect(pairs[2].extra?.['pair weight']).toBeCloseTo(1 - byHand, 12);
  expect(made(rows, ['uncertain-pair', { columns, most: 0.1 }])).toHaveLength(2);
  const sure = [scored('p', 'x', 900, 900), scored('p', 'y', -900, -900)];
  expect(made(sure, ['uncertain-pair', { columns }])[0].extra?.uncertainty).toBe(0);
  const torn = [scored('p', 'x', 901, -900), scored('p', 'y', 0, 0)];
  expect(made(torn, ['uncertain-pair', { columns }])[0].extra?.['pair weight']).toBeCloseTo(0, 12);
});

it('all prompts so far stay in the buffer, and the informative ones are varied (eva)', () => {
  const rows = [row('ab>', 'x', 1), row('ab>', 'y', 0), row('cd>', 'x', 1), row('cd>', 'y', 1)];
  const buffer = made(
    rows,
    ['informative', { count: 5, keep: true }],
    ['mutate', { only: 'informative', keep: true, templates: [{ find: '>$', replace: 'a>' }] }],
  );
  expect(buffer.map(({ prompt, extra }) => [prompt, extra?.informative])).toEqual([
    ['ab>', 0.5],
    ['cd>', undefined],
    ['aba>', 0.5],
  ]);
  // a variant that is in the buffer already is no new prompt
  const known = made(
    [...rows, row('aba>', 'x', 0)],
    ['informative', { keep: true }],
    ['mutate', { only: 'informative', keep: true, templates: [{ find: '>$', replace: 'a>' }] }],
  );
  expect(known.map(({ prompt }) => prompt)).toEqual(['ab>', 'cd>', 'aba>']);
});

describe('problems for the next round (C2-Evo, QwenLong-L1)', () => {
  it('lie within a band of the error rate', () => {
    const marked = (prompt: string, ...marks: (boolean | null)[]) =>
      marks.map((correct, k) => row(prompt, `${k}`, 0, { correct }));
    const rows = [
      ...marked('easy', true, true),
      ...marked('some', true, false, null),
      ...marked('hard', false),
      ...marked('none', null),
    ];
    const kept = made(rows, ['band', { least: 0.2, most: 0.8 }]);
    expect(kept.map(({ prompt, extra }) => [prompt, extra?.rate])).toEqual([['some', 0.5]]);
    expect(caught(() => made(rows, ['band', { least: 0.9, most: 0.8 }]))).toMatchObject({
      where: 'data.operators.0.params.most',
    });
  });

  it('are those that are solved least often, with all their answers (Satori)', () => {
    const marked = (prompt: string, ...marks: (boolean | null)[]) =>
      marks.map((correct, k) => row(prompt, `${k}`, 0, { correct }));
    const rows = [
      ...marked('easy', true, true),
      ...marked('never', false, false),
      ...marked('hard', true, false, false, null),
      ...marked('some', true, false),
      ...marked('none', null),
    ];
    const kept = (share: number) => made(rows, ['hardest', { share }], ['correct']);
    expect(made(rows, ['hardest', { share: 0.3 }]).map(({ answer }) => answer)).toEqual(['0', '1', '2', '3']);
    expect(kept(0.5).map(({ prompt, extra }) => [prompt, extra?.rate])).toEqual([
      ['hard', 1 / 3],
      ['some', 1 / 2],
    ]);
    expect(kept(1).map(({ prompt }) => prompt)).toEqual(['hard', 'some', 'easy', 'easy']);
    expect(made(marked('never', false), ['hardest'])).toEqual([]);
    expect(caught(() => kept(0))).toMatchObject({ where: 'data.operators.0.params.share' });
  });

  it('are composed of two neighbours; each occurs once, without an answer', () => {
    const rows = ['ab>', 'ab>', 'c>', '?', 'ab', 'dd>', 'e>'].map((prompt) =>
      row(prompt, 'x', 1, { correct: true, reference: 'x' }),
    );
    const params = { find: '^([a-z]+)>$', join: '$1$2>' };
    const composed = made(rows, ['compose', params]);
    expect(
      composed.map(({ prompt, answer, correct, reference }) => [prompt, answer, correct, reference]),
    ).toEqual([
      ['abc>', '', null, null],
      ['dde>', '', null, null],
    ]);
    expect(composed[0].extra?.parents).toEqual(['ab>', 'c>']);
    expect(made(rows, ['compose', { ...params, keep: true }])).toHaveLength(rows.length + 2);
    expect(made([...rows, row('abc>', 'y')], ['compose', params])).toHaveLength(1);
    expect(caught(() => made(rows, ['compose', { find: '(', join: '$1$2' }]))).toMatchObject({
      where: 'data.operators.0.params.find',
    });
  });

  it('are those of a phase, and the hardest of earlier phases by their mean reward', () => {
    const earlier = { source: 'one' };
    const rows = [
      row('new', 'x', 1, { source: 'two' }),
      row('both', 'x', 1, { source: 'two' }),
      row('both', 'x', 0, earlier),
      row('solved', 'x', 1, earlier),
      row('hard', 'x', 0, earlier),
      row('hard', 'y', 0.4, earlier),
      row('hardest', 'x', 0.1, earlier),
      row('unknown', 'x', Number.NaN, earlier),
    ];
    const phase = (own: object) =>
      made(rows, ['retrospective', { phase: 'two', ...own }]).map(({ prompt, extra }) => [
        prompt,
        extra?.carried,
      ]);
    expect(phase({ count: 2 })).toEqual([
      ['new', 0],
      ['both', 0],
      ['hardest', 1],
      ['hard', 1],
    ]);
    expect(phase({ most: 0.1 })).toHaveLength(3);
    expect(phase({ count: 0 })).toHaveLength(2);
  });
});

it('examples are shown in front of prompts, and taken away again', () => {
  const rows = [row('a>', 'A'), row('a>', 'B'), row('b>', 'B'), row('c>', 'C')];
  const shown = made(rows, ['examples', { count: 2 }]);
  expect(shown).toHaveLength(4);
  expect(shown[0].prompt.split('\n').toSorted()).toEqual(['a>', 'b>B', 'c>C']);
  expect(shown[0].prompt.endsWith('\na>')).toBe(true);
  expect(shown[1].prompt).toBe(shown[0].prompt);
  expect(shown[1].answer).toBe('B');
  const back = made(shown, ['plain']);
  expect(texts(back)).toEqual(texts(rows));
  expect(new Set(back.map(({ promptId }) => promptId)).size).toBe(3);
  expect(made(rows, ['examples', { count: 2, keep: true }])).toEqual([...rows, ...shown]);
  expect(made(rows, ['examples', { count: 3 }])).toEqual([]);
  expect(made(rows, ['plain'])).toEqual(rows);
});

it('the length of an answer is a token in front of it, or at the end of its prompt (Ruler)', () => {
  const rows = [row('p', 'abcdefg'), row('p', 'one two three'), row('p', ' ')];
  expect(texts(made(rows, ['length-token', { step: 5 }]))).toEqual([
    ['p', '[5]abcdefg', null],
    ['p', '[15]one two three', null],
  ]);
  const asked = made(rows, ['length-token', { unit: 'words', into: 'prompt' }]);
  expect(texts(asked)).toEqual([
    ['p[1]', 'abcdefg', null],
    ['p[3]', 'one two three', null],
  ]);
  expect(asked[0].extra?.['length token']).toBe(1);
});

/** Parameters of operators that have none by default; columns and runs that no plan has. */
const least: Record<string, object> = {
  mutate: { templates: [{ find: 'a', replace: 'b' }] },
  'consistent-pair': { current: 'score no', previous: 'score no' },
  'pair-by-run': { chosen: ['no'], rejected: ['no'] },
  'uncertain-pair': { columns: ['score no', 'score no'] },
  retrospective: { phase: 'no' },
  compose: { find: '(a)', join: '$1$2' },
  'as-prompt': { answer: 'no' },
};

describe.each(operators.map((operator) => [operator.id, operator] as const))(
  'the operator %s',
  (id, operator) => {
    const refusal = (params: object, run: object = {}) => {
      const nodes = [
        { id: 'a', spec: { ...smallSpec({ evaluation: { problems: 10 } }), ...run } },
        { id: 'd', answers: 'a', operators: [{ id: 'plain' }, { id, params: { ...least[id], ...params } }] },
      ];
      return caught(() => planNodes({ nodes }, checkSpec));
    };
    const at = 'nodes.1.operators.1.params';

    it('is refused with a parameter that it has not, with the path of the field', () => {
      expect(refusal({ nonsense: 1 })).toMatchObject({ kind: 'invalid-input', where: `${at}.nonsense` });
    });

    it('is refused on a column that no answer has, or a run that is not read, with the path of the field', () => {
      const params = {
        ...least[id],
        ...('column' in (operator.parse({ ...least[id] }) as object) && { column: 'score no' }),
      };
      const [needed] = operator.needs(params);
      const [named] = operator.runs(params);
      if (needed !== undefined && needed !== 'correct')
        expect(refusal(params)).toMatchObject({ kind: 'invalid-input', where: at });
      if (named !== undefined)
        expect(refusal({ column: 'length' })).toMatchObject({
          kind: 'invalid-input',
          where: `${at}.${named[0]}`,
        });
      const isFree = needed === undefined && named === undefined;
      if (isFree) expect(operator.needs(params)).toEqual([]);
    });
  },
);
