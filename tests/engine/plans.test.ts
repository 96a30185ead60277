import { describe, expect, it } from 'vitest';
import {
  allocation,
  checkSpec,
  coefficients,
  operate,
  operators,
  planNodes,
  probabilities,
  withResults,
  type PlanRow,
} from '../../engine/index.ts';
import { caught } from '../support/errors.ts';
import { smallSpec } from '../support/workspace.ts';

const spec = smallSpec({ evaluation: { problems: 10 } });
const from = (checkpointId: unknown) => ({ models: { policy: { kind: 'checkpoint', checkpointId } } });
const run = (id: string, own: object = {}) => ({ id, use: 'small', ...own });
const planned = (nodes: unknown[]) => planNodes({ specs: { small: spec }, nodes }, checkSpec);
const ids = (nodes: unknown[]) => planned(nodes).nodes.map(({ id }) => id);
const refusal = (nodes: unknown[]) => caught(() => planned(nodes));

describe('a plan', () => {
  it('names results of earlier nodes in place of checkpoints and datasets', () => {
    const { nodes } = planned([
      run('a'),
      { id: 'rows', answers: 'a', purpose: 'evaluation', operators: [{ id: 'correct' }] },
      run('b', {
        spec: {
          ...from({ node: 'a' }),
          task: { kind: 'dataset', datasetId: { node: 'rows' } },
          rewards: [{ id: 'reward-model', params: { checkpointId: { node: 'a' } } }],
          method: { id: 'grpo' },
        },
      }),
    ]);
    expect(nodes.map(({ id, kind, needs }) => [id, kind, needs])).toEqual([
      ['a', 'run', []],
      ['rows', 'data', ['a']],
      ['b', 'run', ['a', 'rows']],
    ]);
    const [, , b] = nodes;
    expect(b.kind === 'run' && withResults(b.spec, (id) => `made by ${id}`)).toMatchObject({
      models: { policy: { kind: 'checkpoint', checkpointId: 'made by a' } },
      task: { datasetId: 'made by rows' },
      rewards: [{ params: { checkpointId: 'made by a' } }],
    });
  });

  it('repeats a body, each round seeing the one before; outside, its name means the last round', () => {
    const { nodes } = planned([
      run('base'),
      {
        id: 'self',
        rounds: 2,
        body: [
          run('write', { spec: from({ node: 'tune', round: 'previous', first: 'base' }) }),
          run('tune', { spec: from({ node: 'write' }) }),
        ],
      },
      run('end', { spec: from({ node: 'self.tune' }) }),
      run('early', { spec: from({ node: 'self.1.tune' }) }),
    ]);
    expect(nodes.map(({ id, needs }) => [id, needs])).toEqual([
      ['base', []],
      ['self.1.write', ['base']],
      ['self.1.tune', ['self.1.write']],
      ['self.2.write', ['self.1.tune']],
      ['self.2.tune', ['self.2.write']],
      ['end', ['self.2.tune']],
      ['early', ['self.1.tune']],
    ]);
  });

  it('has a node for each combination of a matrix: recipe × data × seed', () => {
    const { nodes } = planned(
      [
        {
          id: 'grid',
          matrix: [
            { set: 'train.method', values: [{ id: 'sft' }, { id: 'grpo' }], names: ['sft', 'grpo'] },
            { set: '*.seed', values: [0, 1] },
          ],
          body: [run('train', { set: { 'budget.steps': 3 }, spec: { rewards: [{ id: 'verifier' }] } })],
        },
        run('end', { after: ['grid.grpo-1.train'] }),
      ]
        .slice(0, 2)
        .map((node, at) => (at === 0 ? node : node)),
    );
    expect(nodes.map(({ id }) => id)).toEqual([
      'grid.sft-0.train',
      'grid.sft-1.train',
      'grid.grpo-0.train',
      'grid.grpo-1.train',
      'end',
    ]);
    expect(nodes.map((node) => node.kind === 'run' && [node.checked.method.id, node.checked.seed])).toEqual([
      ['sft', 0],
      ['sft', 1],
      ['grpo', 0],
      ['grpo', 1],
      ['sft', 0],
    ]);
    expect(nodes[0].kind === 'run' && nodes[0].checked.budget.steps).toBe(3);
  });

  it('makes rows of its own for the task of another run’s answers', () => {
    const task = {
      kind: 'run',
      answers: 'a',
      operators: [{ id: 'filter', params: { least: 1 } }],
      heldout: 0,
    };
    const { nodes } = planned([run('a'), run('b', { spec: { task } })]);
    expect(nodes.map(({ id, needs }) => [id, needs])).toEqual([
      ['a', []],
      ['b:data', ['a']],
      ['b', ['b:data']],
    ]);
    expect(nodes[2].kind === 'run' && nodes[2].checked.task).toMatchObject({ kind: 'dataset', heldout: 0 });
  });

  it('may list a node before one that it waits for', () => {
    expect(ids([run('late', { after: ['soon'] }), run('soon')])).toEqual(['soon', 'late']);
  });

  it.each<[string, unknown[], string, RegExp]>([
    ['a node that is none', [{ id: 'a' }], 'nodes.0', /no node/],
    ['a second node of the same id', [run('a'), run('a')], 'nodes.1.id', /Another node/],
    ['an unknown shared specification', [run('a', { use: 'big' })], 'nodes.0.use', /no specification 'big'/],
    [
      'an unknown node',
      [run('a', { spec: from({ node: 'x' }) })],
      'nodes.0.spec.models.policy.checkpointId',
      /no node 'x'/,
    ],
    ['an unknown node to wait for', [run('a', { after: ['x'] })], 'nodes.0.after.0', /no node 'x'/],
    [
      'a node that does not come before',
      [run('a', { spec: from({ node: 'b' }) }), run('b')],
      'nodes.0.spec.models.policy.checkpointId',
      /does not come before/,
    ],
    [
      'itself',
      [run('a', { spec: from({ node: 'a' }) })],
      'nodes.0.spec.models.policy.checkpointId',
      /come before/,
    ],
    [
      'a cycle',
      [run('a', { after: ['b'] }), run('b', { spec: from({ node: 'a' }) })],
      'nodes.0.after',
      /a → b → a/,
    ],
    [
      'data in place of a checkpoint',
      [run('a'), { id: 'd', answers: 'a' }, run('b', { spec: from({ node: 'd' }) })],
      'nodes.2.spec.models.policy.checkpointId',
      /makes data/,
    ],
    [
      'answers of data',
      [run('a'), { id: 'd', answers: 'a' }, { id: 'e', answers: 'd' }],
      'nodes.2.answers',
      /no run/,
    ],
    [
      'an unknown operator',
      [run('a'), { id: 'd', answers: 'a', operators: [{ id: 'sift' }] }],
      'nodes.1.operators.0.id',
      /no operator 'sift'/,
    ],
    [
      'a column that is not there',
      [
        run('a'),
        {
          id: 'd',
          answers: 'a',
          operators: [{ id: 'first' }, { id: 'filter', params: { column: 'score judge' } }],
        },
      ],
      'nodes.1.operators.1.params',
      /no column 'score judge'/,
    ],
    [
      'a parameter that an operator has not',
      [run('a'), { id: 'd', answers: 'a', operators: [{ id: 'filter', params: { above: 1 } }] }],
      'nodes.1.operators.0.params.above',
      /above/,
    ],
    [
      'an invalid specification',
      [run('a'), { id: 'r', rounds: 2, body: [run('b', { set: { 'optimizer.learningRate': -1 } })] }],
      'nodes.1.body.0.spec.optimizer.learningRate',
      />=0/,
    ],
    ['a setting of nothing', [run('a', { set: { 'method.id.x': 1 } })], 'nodes.0.set.method.id.x', /nothing/],
    [
      'a round before the first',
      [{ id: 'r', rounds: 2, body: [run('b', { spec: from({ node: 'b', round: 'previous' }) })] }],
      'nodes.0.body.0.spec.models.policy.checkpointId',
      /before the first/,
    ],
    [
      'a matrix over no node',
      [{ id: 'm', matrix: [{ set: 'x.seed', values: [1] }], body: [run('a')] }],
      'nodes.0.matrix.0.set',
      /no node 'x'/,
    ],
    [
      'a reference in another field',
      [run('a'), run('b', { spec: { task: { kind: 'labels', labelSetId: { node: 'a' } } } })],
      'nodes.1.spec.task.labelSetId',
      /checkpointId or a datasetId/,
    ],
    [
      'too many nodes',
      [{ id: 'r', rounds: 64, body: Array.from({ length: 9 }, (_none, at) => run(`n${at}`)) }],
      'nodes.0.body.8',
      /more than 512/,
    ],
  ])('refuses %s with the path of the field', (_what, nodes, where, message) => {
    expect(refusal(nodes)).toMatchObject({
      kind: 'invalid-input',
      where: expect.stringContaining(where) as string,
    });
    expect(refusal(nodes).message).toMatch(message);
  });
});

const row = (prompt: string, answer: string, reward = 0, own: Partial<PlanRow> = {}): PlanRow => ({
  promptId: prompt,
  prompt,
  answer,
  reference: null,
  correct: null,
  source: 'a',
  extra: { reward },
  ...own,
});
const made = (rows: readonly PlanRow[], ...specs: [id: string, params?: Record<string, unknown>][]) =>
  operate(
    rows,
    specs.map(([id, params = {}]) => ({ id, params })),
    'data',
  );
const texts = (rows: readonly PlanRow[]) =>
  rows.map(({ prompt, answer, correct }) => [prompt, answer, correct]);

describe('operators', () => {
  it('make nothing of no answers', () => {
    const params: Record<string, object> = {
      mutate: { templates: [{ find: 'a', replace: 'b' }] },
      'consistent-pair': { current: 'now', previous: 'before' },
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

  it('write the beginning of a right answer into the prompt of a hard one', () => {
    const rows = [
      row('p', 'wrong', 0, { correct: false }),
      row('p', 'abcdef', 1, { correct: true }),
      row('q', 'easy', 1, { correct: true }),
    ];
    const hinted = made(rows, ['hint', { share: 0.5, template: '{prompt} [{hint}]', most: 0.5 }]);
    expect(texts(hinted)).toEqual([['p [abc]', 'abcdef', true]]);
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
    const params = { current: 'now', previous: 'before' };
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
    const many = Array.from({ length: 600 }, (_none, at) => scored(`r${at}`, [1, 2], [2, 3], [3, 1])).flat();
    const turned = right(many).filter((answer) => answer.endsWith('0')).length / 600;
    expect(Math.abs(turned - 2 / 3)).toBeLessThan(4 * Math.sqrt(2 / 9 / 600));
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

  it('name the operator that reads a column without values', () => {
    expect(caught(() => made([row('p', 'x')], ['first'], ['correct']))).toMatchObject({
      kind: 'invalid-input',
      where: 'data.operators.1.params',
    });
  });
});

describe('an arena', () => {
  const params = { confidence: 0, explore: 0.5, eta: 2, seed: 3 };
  /** Arms with fixed rewards: the candidates of the first pulls. */
  const played = (rule: string, means: readonly number[], pulls: number, own = {}) => {
    const rewards: number[] = [];
    for (let at = 0; at < pulls; at++)
      rewards.push(means[allocation(rule, means.length, rewards, { ...params, ...own })[at]]);
    return allocation(rule, means.length, rewards, { ...params, ...own }).slice(0, pulls);
  };
  const counts = (arms: readonly number[], of: number) =>
    Array.from({ length: of }, (_none, arm) => arms.filter((each) => each === arm).length);

  it('of regret balancing allocates fixed rewards 1 and 0 as worked out by hand', () => {
    // d doubles after pulls 2 and 5 of the worse arm, where d / √n < 1; it is pulled when √n of the better one
    // exceeds d √n of its own: after 9, 13, 17 and 81 pulls of that
    const arms = played('d3rb', [1, 0], 87);
    expect(arms.slice(0, 4)).toEqual([0, 1, 0, 1]);
    expect(arms.flatMap((arm, at) => (arm === 1 ? [at] : []))).toEqual([1, 3, 11, 16, 21, 86]);
    const pulls = arms.map((arm) => ({ arm, reward: 1 - arm }));
    expect(coefficients(pulls.slice(0, 3), 2, params)).toEqual([1, 1]);
    expect(coefficients(pulls.slice(0, 4), 2, params)).toEqual([1, 2]);
    expect(coefficients(pulls.slice(0, 22), 2, params)).toEqual([1, 4]);
  });

  it('of regret balancing treats equally good candidates equally, and the worst ones least', () => {
    expect(counts(played('d3rb', [0.5, 0.5, 0.5], 30), 3)).toEqual([10, 10, 10]);
    const [best, middle, worst] = counts(played('d3rb', [0.9, 0.6, 0.1], 300), 3);
    expect(best).toBeGreaterThan(middle);
    expect(middle).toBeGreaterThan(worst);
    expect(counts(played('d3rb', [1, 0], 60, { confidence: 10 }), 2)).toEqual([30, 30]);
  });

  it('of Exp3 has the probabilities of its formula', () => {
    expect(probabilities([], 2, params)).toEqual([0.5, 0.5]);
    const [p] = probabilities([{ arm: 0, reward: 1 }], 2, params);
    const first = 0.5 / (1 + Math.exp(-0.5)) + 0.25;
    expect(p).toBeCloseTo(first, 12);
    const [q] = probabilities(
      [
        { arm: 0, reward: 1 },
        { arm: 1, reward: 0.4 },
      ],
      2,
      params,
    );
    const log = 0.5 - (0.5 * 0.4) / ((1 - first) * 2);
    expect(q).toBeCloseTo(0.5 / (1 + Math.exp(-log)) + 0.25, 12);
    const drawn = counts(played('exp3', [1, 0], 400, { explore: 0.1 }), 2);
    expect(drawn[0]).toBeGreaterThan(300);
    expect(played('exp3', [1, 0], 50)).toEqual(played('exp3', [1, 0], 60).slice(0, 50));
  });

  it('of successive halving gives rungs to the best half, and the rest to the last', () => {
    expect(played('successive-halving', [0.1, 0.4, 0.2, 0.3], 9)).toEqual([0, 1, 2, 3, 1, 3, 1, 1, 1]);
  });

  it('is a chain of runs; an error names the candidate', () => {
    const arena = (candidates: unknown[]) => ({ id: 'race', arena: { pulls: 3, rule: 'd3rb' }, candidates });
    const two = [
      run('slow', { spec: from({ node: 'a' }) }),
      run('fast', { set: { 'optimizer.learningRate': 0.01 } }),
    ];
    expect(planned([run('a'), arena(two)]).nodes.map(({ id, needs }) => [id, needs])).toEqual([
      ['a', []],
      ['race.1', ['a']],
      ['race.2', ['a', 'race.1']],
      ['race.3', ['a', 'race.2']],
    ]);
    expect(refusal([run('a'), arena([two[0], run('bad', { set: { seed: -1 } })])])).toMatchObject({
      where: 'nodes.1.candidates.1.spec.seed',
    });
    expect(refusal([run('a'), arena([two[0], two[0]])])).toMatchObject({ where: 'nodes.1.candidates.1.id' });
  });
});
