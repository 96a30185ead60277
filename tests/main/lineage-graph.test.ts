import { describe, expect, it } from 'vitest';
import type { GraphKind, LineageGraph } from '../../preload/contract/lineage.ts';
import { writersOf } from '../../main/store/lineage/neighbours.ts';
import { rejected } from '../support/errors.ts';
import { plantLoop } from '../support/lineage.ts';
import { workspaceForTest } from '../support/workspace.ts';

const named = ({ nodes, edges }: LineageGraph): string[] =>
  edges.map(({ from, to }) => `${nodes[from].kind} → ${nodes[to].kind}`).sort();

async function planted(more = 0) {
  const open = await workspaceForTest();
  const loop = await plantLoop(open, more);
  const graph = (kind: GraphKind, id: string, steps = 8, each = 8) =>
    open.store.lineageGraph.graph(kind, id, { steps, each });
  return { store: open.store, loop, graph };
}

describe('the graph of lineage', () => {
  it('leads from a number to the file, the version and the labels behind it', async () => {
    const { loop, graph } = await planted();
    const found = await graph('evaluation', `${loop.policyRun}/evaluation/20`);
    expect(found.nodes[0]).toMatchObject({ name: 'policy, step 20', note: 'pass@1 0.750 on 4 problems' });
    expect(named(found)).toEqual([
      'checkpoint → evaluation',
      'checkpoint → run',
      'dataset → label-set',
      'dataset → version',
      'file → dataset',
      'label-set → run',
      'run → checkpoint',
      'run → checkpoint',
      'version → run',
    ]);
    expect(found.nodes.find(({ kind }) => kind === 'version')).toMatchObject({
      id: `${loop.dataset}@1`,
      name: 'answers, version clean',
      note: '11 rows',
    });
    expect(found.nodes.find(({ id }) => id === loop.judge)?.note).toBe('reward model, sft');
  });

  it('leads from a file to everything that was made from it, also answers that became a dataset', async () => {
    const { loop, graph } = await planted();
    const found = await graph('file', 'test');
    expect(found.nodes.map(({ id }) => id).sort()).toEqual(
      ['test', `${loop.dataset}@1`, `${loop.policyRun}/evaluation/20`, ...Object.values(loop)].sort(),
    );
    expect(named(found)).toContain('run → dataset');
    expect(found.nodes.every(({ more }) => more.from + more.usedBy === 0)).toBe(true);
  });

  it('ends after the steps and the neighbours that were asked for, and counts those left out', async () => {
    const { loop, graph } = await planted(12);
    const near = await graph('run', loop.policyRun, 1, 4);
    expect(near.nodes).toHaveLength(1 + 2 + 4);
    expect(near.nodes[0].more).toEqual({ from: 0, usedBy: 14 - 4 });
    const judge = near.nodes.find(({ id }) => id === loop.judge);
    expect(judge?.more).toEqual({ from: 1, usedBy: 0 });
    expect((await graph('run', loop.policyRun, 1, 100)).nodes).toHaveLength(1 + 2 + 14);
  });

  it('shows a removed dataset as removed, and refuses to begin there', async () => {
    const { store, loop, graph } = await planted();
    await store.datasets.remove(loop.answers);
    expect((await graph('run', loop.policyRun, 2)).nodes.map(({ id }) => id)).not.toContain(loop.answers);
    for (const [kind, id] of [
      ['dataset', loop.answers],
      ['version', 'nobody@1'],
      ['version', loop.dataset],
      ['evaluation', `${loop.policyRun}/evaluation/7`],
      ['evaluation', 'nobody'],
      ['file', '/nowhere'],
    ] as const)
      expect((await rejected(graph(kind, id))).kind).toBe('not-found');
  });
});

describe('the source of a dataset of answers', () => {
  const [a, b] = ['019abcde-0000-7000-8000-000000000001', '019abcde-0000-7000-8000-000000000002'];
  it.each([
    [`run ${a}`, [{ kind: 'run', id: a }]],
    [
      `run ${a}, ${b}`,
      [
        { kind: 'run', id: a },
        { kind: 'run', id: b },
      ],
    ],
    [
      `head-to-head of runs ${a} ${b}`,
      [
        { kind: 'run', id: a },
        { kind: 'run', id: b },
      ],
    ],
    [`checkpoint ${a}`, [{ kind: 'checkpoint', id: a }]],
    ['/data/run 7.jsonl', []],
    ['run of the mill.csv', []],
  ])('%s names the runs and models that wrote them', (source, writers) => {
    expect(writersOf(source)).toEqual(writers);
  });
});
