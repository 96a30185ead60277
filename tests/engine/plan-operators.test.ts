import { describe, expect, it } from 'vitest';
import { operators, readReferences, showable, type PlanRow } from '../../engine/index.ts';
import { caught } from '../support/errors.ts';
import { operated as made, planRow as row, planTexts as texts } from '../support/plan-rows.ts';

describe('operators', () => {
  it('make nothing of no answers', () => {
    const params: Record<string, object> = {
      mutate: { templates: [{ find: 'a', replace: 'b' }] },
      perturb: { how: 'reverse' },
      'consistent-pair': { current: 'now', previous: 'before' },
      'pair-by-run': { chosen: ['now'], rejected: ['before'] },
      'uncertain-pair': { columns: ['one', 'two'] },
      retrospective: { phase: 'now' },
      compose: { find: '(a)', join: '$1$2' },
      'as-prompt': { answer: '-' },
    };
    for (const { id } of operators) expect(made([], [id, { ...params[id] }]), id).toEqual([]);
  });

  it('filter by bounds; a row without a number is left out', () => {
    const rows = [row('p', 'x', 1), row('p', 'y', 0.4), row('p', 'z', Number.NaN)];
    expect(texts(made(rows, ['filter', { least: 0.4, most: 0.9 }]))).toEqual([['p', 'y', null]]);
    expect(made(rows, ['filter', { column: 'length', least: 1 }])).toHaveLength(3);
  });

  it('take the first or the best of each prompt, in the order of the rows', () => {
    const rows = [
      row('p', 'x', 1),
      row('q', 'u', 5),
      row('p', 'y', 3),
      row('p', 'z', 3),
      row('q', 'v', Number.NaN),
    ];
    expect(made(rows, ['first', { count: 2 }]).map(({ answer }) => answer)).toEqual(['x', 'u', 'y', 'v']);
    expect(made(rows, ['first', { by: 'reward' }]).map(({ answer }) => answer)).toEqual(['u', 'y']);
  });

  it('keep equal answers to a prompt once, by text or by their last number', () => {
    const rows = [row('p', '1+1=2'), row('p', 'so 2'), row('p', ' so 2 '), row('q', 'so 2')];
    expect(made(rows, ['distinct'])).toHaveLength(3);
    expect(made(rows, ['distinct', { part: 'number' }])).toHaveLength(2);
  });

  it('mark by a column, and choose the marked', () => {
    const rows = [row('p', 'x', 0.7), row('p', 'y', 0.2), row('p', 'z', Number.NaN)];
    expect(made(rows, ['relabel', { least: 0.5 }]).map(({ correct }) => correct)).toEqual([
      true,
      false,
      null,
    ]);
    expect(texts(made(rows, ['relabel', { least: 0.5 }], ['correct', { is: false }]))).toEqual([
      ['p', 'y', false],
    ]);
  });

  it('label by the majority; a tie or too little agreement labels nothing', () => {
    const rows = ['7', '7', '8', '7'].map((answer) => row('p', answer));
    const tied = ['1', '2'].map((answer) => row('q', answer));
    const labeled = made([...rows, ...tied], ['majority']);
    expect(labeled.map(({ correct, reference, extra }) => [correct, reference, extra?.agreement])).toEqual([
      [true, '7', 0.75],
      [true, '7', 0.75],
      [false, '7', 0.75],
      [true, '7', 0.75],
    ]);
    expect(made(rows, ['majority', { agreement: 0.8 }])).toEqual([]);
    expect(made([row('p', 'none')], ['majority', { part: 'number' }])).toEqual([]);
  });

  it('keep the prompts on which several runs agree', () => {
    const weak = { source: 'weak' };
    const rows = [
      row('p', '4', 0, weak),
      row('p', '4'),
      row('p', '5'),
      row('p', '4'),
      row('q', '1', 0, weak),
      row('q', '2'),
      row('r', '3'),
    ];
    expect(texts(made(rows, ['agree']))).toEqual([
      ['p', '4', true],
      ['p', '4', true],
      ['p', '4', true],
    ]);
  });

  it('pair the best and the worst of a prompt, unless they are as good or equal', () => {
    const rows = [
      row('p', 'x', 1),
      row('p', 'y', 3),
      row('p', 'z', 2),
      row('q', 'u', 1),
      row('q', 'v', 1),
      row('r', 'w', 1),
    ];
    expect(texts(made(rows, ['pair']))).toEqual([
      ['p', 'y', true],
      ['p', 'x', false],
    ]);
    expect(made(rows, ['pair', { margin: 2 }])).toEqual([]);
  });

  it('cut an answer into prompt and rest', () => {
    const [cut] = made([row('ask:', ' one two three four')], ['cut', { share: 0.5 }]);
    expect([cut.prompt, cut.answer]).toEqual(['ask: one two', ' three four']);
    expect(cut.promptId).not.toBe('ask:');
    expect(made([row('p', 'one')], ['cut'])).toEqual([]);
    expect(made([row('p', 'abcd')], ['cut', { share: 0.25, unit: 'characters' }])[0].answer).toBe('bcd');
    expect(made([row('p', 'a\nb\nc\n')], ['cut', { unit: 'lines' }])[0]).toMatchObject({
      prompt: 'pa\n',
      answer: 'b\nc\n',
    });
  });

  it('mutate prompts by templates, without an answer and each once', () => {
    const rows = [row('2 + 3', '5', 1, { correct: true, reference: '5' }), row('2 + 3', '6')];
    const templates = [
      { find: '(\\d) \\+ (\\d)', replace: '$1$2 + $2' },
      { find: 'x', replace: 'y' },
    ];
    const [only, ...more] = made(rows, ['mutate', { templates }]);
    expect(only).toMatchObject({
      prompt: '23 + 3',
      answer: '',
      reference: null,
      correct: null,
      extra: { parent: '2 + 3' },
    });
    expect(more).toEqual([]);
    expect(made(rows, ['mutate', { templates, keep: true }])).toHaveLength(3);
    expect(caught(() => made(rows, ['mutate', { templates: [{ find: '(', replace: '' }] }]))).toMatchObject({
      where: 'data.operators.0.params.templates.0.find',
    });
  });

  it('perturb the order of words, reversibly but for the random one', () => {
    const rows = [row('p', 'a b c d e', 1, { correct: true }), row('q', 'v w x y z'), row('q', 'x y')];
    const perturbed = (params: Record<string, unknown>) =>
      made(rows, ['perturb', params]).map(({ answer }) => answer);
    expect(perturbed({ how: 'reverse' })).toEqual(['e d c b a', 'z y x w v', 'y x']);
    expect(perturbed({ how: 'even-odd' })).toEqual(['a c e b d', 'v x z w y', 'x y']);
    expect(perturbed({ how: 'reverse', unit: 'characters' })[2]).toBe('y x');
    for (const how of ['local', 'by-length', 'random']) {
      const found = perturbed({ how, seed: 5, window: 2 });
      expect(found).toEqual(perturbed({ how, seed: 5, window: 2 }));
      expect(found.map((text) => text.split(' ').toSorted().join(' '))).toEqual([
        'a b c d e',
        'v w x y z',
        'x y',
      ]);
      // one order for each length: the second answer is moved as the first one is
      const moved = [...found[0].replaceAll(' ', '')]
        .map((letter) => 'vwxyz'['abcde'.indexOf(letter)])
        .join(' ');
      if (how !== 'random') expect(found[1]).toBe(moved);
    }
    // a window is permuted in itself only
    expect(perturbed({ how: 'local', window: 2 })[0].replaceAll(' ', '')).toMatch(/^[ab]{2}[cd]{2}e$/);
    expect(made(rows, ['perturb', { how: 'reverse' }])[0]).toMatchObject({
      correct: null,
      extra: { unperturbed: 'a b c d e' },
    });
  });

  it('write the beginning of a right answer into the prompt of a hard one', () => {
    const rows = [
      row('p', 'wrong', 0, { correct: false }),
      row('p', 'abcdef', 1, { correct: true }),
      row('q', 'easy', 1, { correct: true }),
    ];
    const hinted = made(rows, ['hint', { share: 0.5, template: '{prompt} [{hint}]', most: 0.5 }]);
    expect(texts(hinted)).toEqual([['p [abc]', 'abcdef', true]]);
  });

  it('show attempts in the prompt of a right answer, each once (LEDEX: the wrong ones, repaired)', () => {
    const rows = [
      row('p', 'a', 0, { correct: false }),
      row('p', 'b', 1, { correct: true }),
      row('p', 'c', 0, { correct: false }),
      row('q', 'd', 0, { correct: false }),
    ];
    expect(texts(made(rows, ['show', { attempts: 1 }]))).toEqual([
      ['pa;', 'b', true],
      ['pb;', 'b', true],
      ['pc;', 'b', true],
    ]);
    expect(texts(made(rows, ['show', { attempts: 2, keep: true }]))).toEqual([
      ['pa;b;', 'b', true],
      ['p', 'b', true],
    ]);
    const repaired = made(rows, [
      'show',
      {
        attempts: 1,
        which: 'wrong',
        attempt: '{attempt} is {verdict}. ',
        shown: '{prompt}: {attempts}',
      },
    ]);
    expect(texts(repaired)).toEqual([
      ['p: a is wrong. ', 'b', true],
      ['p: c is wrong. ', 'b', true],
    ]);
    expect(caught(() => made(rows, ['show', { attempt: '{answer}' }])).where).toContain('attempt');
  });

  it('show attempts before the reference of a task where no answer is right, if that is wanted', () => {
    const wrong = { correct: false, reference: '4' };
    const rows = [
      row('p', 'a', 0, { correct: false, reference: 'z' }),
      row('p', 'b', 1, { correct: true, reference: 'z' }),
      row('q', 'c', 0, wrong),
      row('q', 'd', 0, { ...wrong, correct: null }),
      row('r', 'e', 0, { correct: false }),
      row('r', 'f', 0, { correct: false }),
    ];
    const params = { attempts: 2, fallback: true };
    expect(texts(made(rows, ['show', params]))).toEqual([
      ['pa;b;', 'b', true],
      ['qc;d;', '4', true],
    ]);
    expect(texts(made(rows, ['show', { attempts: 2 }]))).toEqual([['pa;b;', 'b', true]]);
    // a reward model's scores are no verdicts: with references, none is needed
    expect(
      texts(
        made([row('q', 'c', 0.3, { correct: null, reference: '4' })], ['show', { ...params, attempts: 1 }]),
      ),
    ).toEqual([['qc;', '4', true]]);
    expect(showable(rows)).toEqual([
      { target: 'sampled', answers: 2, prompts: 1 },
      { target: 'reference', answers: 2, prompts: 1 },
      { target: 'none', answers: 2, prompts: 1 },
    ]);
    expect([readReferences([{ id: 'show', params }]), readReferences([{ id: 'show', params: {} }])]).toEqual([
      true,
      false,
    ]);
  });

  it('let one run vote for the labels of all', () => {
    const rows = [row('p', '1', 0, { source: 'r.1.sure' }), row('p', '2'), row('p', '2'), row('q', '2')];
    expect(
      made(rows, ['majority', { by: 'sure' }]).map(({ correct, reference }) => [correct, reference]),
    ).toEqual([
      [true, '1'],
      [false, '1'],
      [false, '1'],
    ]);
  });

  it('turn pairs as often as two rankings disagree: all of them for opposite ones, none for equal ones', () => {
    const scored = (prompt: string, ...values: [now: number, before: number][]) =>
      values.map(([now, before], at) => row(prompt, `${prompt}${at}`, 0, { extra: { now, before } }));
    const params = { current: 'now', previous: 'before', labels: 'drawn' };
    const equal = ['p', 'q'].flatMap((id) => scored(id, [1, 5], [2, 6], [3, 7]));
    const right = (rows: readonly PlanRow[]) =>
      made(rows, ['consistent-pair', params]).flatMap(({ answer, correct }) => (correct ? [answer] : []));
    expect(right(equal)).toEqual(['p2', 'q2']);
    const opposite = ['p', 'q'].flatMap((id) => scored(id, [1, 7], [2, 6], [3, 5]));
    expect(right(opposite)).toEqual(['p0', 'q0']);
    // τ = 1 and −1/3 (one of three pairs agrees): C = (1 + 1/3) / 2
    const mixed = [...scored('p', [1, 1], [2, 2], [3, 3]), ...scored('q', [1, 2], [2, 3], [3, 1])];
    const [first] = made(mixed, ['consistent-pair', params]);
    expect(first.extra?.consistency).toBeCloseTo(2 / 3, 12);
    // tied pairs and equal answers are no disagreement: 1 of 1 ordered pairs agrees, and u has none
    const tied = [
      ...scored('p', [1, 5], [2, 6], [2, 7]),
      ...scored('q', [1, 5], [1, 5], [3, 7]),
      ...scored('u', [1, 1], [1, 1]),
    ];
    expect(made(tied, ['consistent-pair', params])[0].extra?.consistency).toBe(1);
    const flat = scored('p', [1, 5], [2, 5]);
    expect(made(flat, ['consistent-pair', params])[0].extra?.consistency).toBe(1);
    const copies = ['same', 'same', 'other'].map((answer, at) =>
      row('p', answer, 0, { extra: { now: [1, 1.1, 2][at], before: [1.1, 1, 2][at] } }),
    );
    expect(made(copies, ['consistent-pair', params])[0].extra?.consistency).toBe(1);
    const many = Array.from({ length: 600 }, (_none, at) => scored(`r${at}`, [1, 2], [2, 3], [3, 1])).flat();
    const turned = right(many).filter((answer) => answer.endsWith('0')).length / 600;
    expect(Math.abs(turned - 2 / 3)).toBeLessThan(4 * Math.sqrt(2 / 9 / 600));
    // another round turns other prompts
    const again = right(many.map((each) => ({ ...each, source: 'self.2.write' })));
    expect(again).not.toEqual(right(many));
  });

  it('draw prompts by how far their best answer is above the mean; equal answers never', () => {
    const rows = [
      row('flat', 'a', 1),
      row('flat', 'b', 1),
      row('steep', 'c', 1),
      row('steep', 'd', 0),
      row('some', 'e', 0.5),
      row('some', 'f', 0.3),
    ];
    const all = made(rows, ['informative', { count: 9 }]);
    expect(new Map(all.map(({ prompt, extra }) => [prompt, extra?.informative]))).toEqual(
      new Map([
        ['steep', 0.5],
        ['some', 0.5 - 0.4],
      ]),
    );
    const drawn = Array.from(
      { length: 600 },
      (_none, seed) => made(rows, ['informative', { count: 1, seed }])[0].prompt,
    );
    const share = drawn.filter((prompt) => prompt === 'steep').length / drawn.length;
    expect(Math.abs(share - 5 / 6)).toBeLessThan(4 * Math.sqrt(5 / 36 / 600));
  });

  it('put the right answer in place of what failed, and leave other runs as they are', () => {
    const failed = (prompt: string, correct: boolean | null, reference: string | null = 'right') =>
      row(prompt, 'done', 0, { source: 'round.2.probe', correct, reference });
    const rows = [
      failed('p', false),
      failed('q', true),
      failed('r', null),
      failed('s', false, null),
      row('t', 'own', 1, { correct: false }),
    ];
    expect(texts(made(rows, ['right-answer', { from: ['probe'], only: 'wrong' }]))).toEqual([
      ['p', 'right', true],
      ['t', 'own', false],
    ]);
    expect(made(rows, ['right-answer']).map(({ prompt }) => prompt)).toEqual(['p', 'q', 'r']);
  });

  it('make prompts of what an attacker found, with the refusal or the reply that they got', () => {
    const attack = (answer: string, harm: number, reply?: string) =>
      row('ab?', answer, harm, { source: 'round.1.attack', extra: { reward: harm, reply } });
    const rows = [attack('aa', 1, '+'), attack('bb', 0.2, '+'), attack('cc', 0), row('dd:', '-')];
    const refused = made(rows, ['as-prompt', { from: ['attack'], ending: ':', answer: '-' }]);
    expect(texts(refused)).toEqual([
      ['aa:', '-', null],
      ['bb:', '-', null],
      ['cc:', '-', null],
      ['dd:', '-', null],
    ]);
    expect(new Set(refused.map(({ promptId }) => promptId)).size).toBe(4);
    // below the bound it keeps its reply, if that is known; equal attacks make one prompt
    const kept = made(
      [...rows, attack('aa', 0, '+')],
      ['as-prompt', { from: ['attack'], ending: ':', answer: '-', column: 'reward', least: 0.5 }],
    );
    expect(texts(kept)).toEqual([
      ['aa:', '-', null],
      ['bb:', '+', null],
      ['dd:', '-', null],
    ]);
    // the target did not read the text before the last mark
    const marked = made([attack('x#aa', 1), attack('y#aa', 1)], ['as-prompt', { mark: '#', answer: '-' }]);
    expect(texts(marked)).toEqual([['aa', '-', null]]);
  });

  it('name the operator that reads a column without values', () => {
    expect(caught(() => made([row('p', 'x')], ['first'], ['correct']))).toMatchObject({
      kind: 'invalid-input',
      where: 'data.operators.1.params',
    });
  });
});
