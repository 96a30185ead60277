import { describe, expect, it } from 'vitest';
import { checkSpec, planNodes, withResults } from '../../engine/index.ts';
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

  it('varies the candidates of an arena with all other runs of a body', () => {
    const race = { id: 'race', arena: { pulls: 1 }, candidates: [run('slow'), run('fast')] };
    const seeds = (set: string) =>
      planned([{ id: 'm', matrix: [{ set, values: [1, 2] }], body: [race, run('a')] }]).nodes.map((node) =>
        node.kind === 'run' ? (node.pull?.arms.map(({ spec: { seed } }) => seed) ?? node.spec.seed) : null,
      );
    expect(seeds('*.seed')).toEqual([[1, 1], 1, [2, 2], 2]);
    expect(seeds('fast.seed')).toEqual([[undefined, 1], undefined, [undefined, 2], undefined]);
  });

  it('names the cells of a matrix apart if values look alike', () => {
    const values = ['3', 'a b', 'a_b'];
    const cells = [{ id: 'm', matrix: [{ set: 'a.name', values }], body: [run('a')] }];
    expect(ids(cells)).toEqual(['m.1.a', 'm.2.a', 'm.3.a']);
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
    ['one that every object has', [run('a', { use: 'constructor' })], 'nodes.0.use', /no specification/],
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
      'a column of texts',
      [run('a'), { id: 'd', answers: 'a', operators: [{ id: 'relabel', params: { column: 'source' } }] }],
      'nodes.1.operators.0.params',
      /no column 'source' of numbers/,
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
      [run('a'), run('b', { spec: { models: { policy: { kind: 'model', modelId: { node: 'a' } } } } })],
      'nodes.1.spec.models.policy.modelId',
      /checkpointId, a datasetId or a labelSetId/,
    ],
    [
      'a run in place of a label set',
      [run('a'), run('b', { spec: { task: { kind: 'labels', labelSetId: { node: 'a' } } } })],
      'nodes.1.spec.task.labelSetId',
      /is a run: no labelSetId/,
    ],
    [
      'a matrix of more cells than can be built',
      [
        {
          id: 'm',
          matrix: Array.from({ length: 8 }, () => ({
            set: 'a.seed',
            values: Array.from({ length: 64 }, (_none, at) => at),
          })),
          body: [run('a')],
        },
      ],
      'nodes.0.matrix',
      /281474976710656 cells/,
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

  it('has an arena as a chain of runs; an error names the candidate', () => {
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
    const unmeasured = run('blind', { set: { 'evaluation.problems': 0 } });
    expect(refusal([run('a'), arena([two[0], unmeasured])])).toMatchObject({
      where: 'nodes.1.candidates.1.spec.evaluation.problems',
    });
    const waiting = run('late', { after: ['a'] });
    expect(refusal([run('a'), arena([two[0], waiting])])).toMatchObject({
      where: 'nodes.1.candidates.1.after',
    });
    const counted = run('counted', { passes: 2 });
    expect(refusal([run('a'), arena([two[0], counted])])).toMatchObject({
      where: 'nodes.1.candidates.1.passes',
    });
    const flat = { id: 'race', arena: { pulls: 3, range: [1, 1] }, candidates: two };
    expect(refusal([run('a'), flat])).toMatchObject({ where: 'nodes.1.arena.range' });
  });
});
