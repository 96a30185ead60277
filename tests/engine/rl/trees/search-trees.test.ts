import { beforeAll, describe, expect, test } from 'vitest';
import { checkSpec } from '../../../../engine/index.ts';
import type { Problem } from '../../../../engine/rl/kernel/columns.ts';
import { ragged, rowOf, type Table } from '../../../../engine/rl/kernel/rows.ts';
import * as part from '../../../../engine/rl/parts/index.ts';
import type { OpenTree } from '../../../../engine/rl/parts/math/scored-forest.ts';
import { treeOf, type Leaf, type TreeNode } from '../../../../engine/rl/parts/math/tree.ts';
import { openDevice, type Device } from '../../../../engine/runtime/index.ts';
import { runPart } from '../../../support/run-part.ts';
import { runToy, toyModel } from '../../../support/toy-run.ts';

let device: Device;
beforeAll(async () => {
  device = await openDevice({ id: 'cpu', threads: 1 });
});

/** Answers of three tokens to one prompt of one token; tokens are steps. */
const answers = [
  { tokens: [1, 1, 1], given: 0, reward: 1 },
  { tokens: [2, 2, 2], given: 0, reward: 0 },
  { tokens: [2, 1, 1], given: 1, reward: 1 },
  { tokens: [2, 2, 1], given: 2, reward: 0 },
];
const problem = (tokens: readonly number[], given: number): Problem => ({
  promptId: 'p',
  prompt: 'p',
  reference: null,
  ...(given > 0 && { hint: { share: 0, tokens: tokens.slice(0, given), parent: 'x' } }),
});
const table: Table = {
  problem: answers.map(({ tokens, given }) => problem(tokens, given)),
  groupId: new Float64Array(4),
  weight: new Float64Array(4).fill(1),
  tokens: ragged(answers, Int32Array, ({ tokens }) => [9, ...tokens]),
  mask: ragged(answers, Uint8Array, ({ given }) => [0, 0, 0, 0].map((_, t) => Number(t > given))),
  'reward/total': Float64Array.from(answers, ({ reward }) => reward),
  'row/given': Float64Array.from(answers, ({ given }) => given),
};
const lists = (found: Table, name: string): number[][] =>
  Array.from({ length: (found[name] as { offsets: Uint32Array }).offsets.length - 1 }, (_, r) => [
    ...rowOf(found[name] as never, r),
  ]);

describe('a search of trees', () => {
  const leaf = (tokens: readonly number[], given: number, value: number): Leaf => ({
    tokens,
    given,
    ends: [1, 2, 3],
    value,
    weight: 1,
  });
  const opened = (leaves: readonly Leaf[]): OpenTree => {
    const { paths } = treeOf(leaves);
    const nodes = [...new Set(paths.flat())];
    const parent = (node: TreeNode) =>
      paths.flatMap((path) => (path.indexOf(node) > 0 ? [path[path.indexOf(node) - 1]] : []))[0];
    return {
      root: paths[0][0],
      nodes,
      parent,
      children: (node) => nodes.filter((each) => parent(each) === node),
      isEnd: (node) => paths.some((path) => path.at(-1) === node),
      through: (node) => node.leaves[0],
    };
  };

  test('descends to the child with the highest bound, past what is spent', () => {
    const tree = opened([leaf([1, 1, 1], 0, 1), leaf([2, 2, 2], 0, 0)]);
    const plan = { width: 2, explore: 0.5 };
    expect(part.byBounds(tree, (node) => node.value, plan)).toMatchObject({ length: 1, value: 1 });
    // a critic that prefers the other one is followed
    expect(part.byBounds(tree, (node) => -node.value, plan)).toMatchObject({ length: 1, value: 0 });
    // two draws from behind the first step: it is spent, and the search goes deeper or elsewhere
    const spent = opened([leaf([1, 1, 1], 0, 1), leaf([2, 2, 2], 0, 0), leaf([1, 3, 3], 1, 1)]);
    expect(part.byBounds(spent, (node) => node.value, plan)?.length).toBe(2);
    // exploration alone: the least tried of equally deep ones
    expect(part.byBounds(spent, () => 0, { width: 3, explore: 1 })).toBe(spent.root);
    expect(part.byBounds(spent, () => 0, { width: 2, explore: 1 })).toMatchObject({ length: 1, value: 0 });
    // nothing is left
    expect(part.byBounds(opened([leaf([1], 0, 1)]), () => 0, { width: 1, explore: 1 })).toBeNull();
  });

  test.each(['rest-mcts', 'step-apo'])(
    '%s: records every answer, with the one that it continues',
    async (id) => {
      const seen = await runToy(
        device,
        checkSpec({
          method: { id, params: { groupSize: 6, width: 2, step: 'token' } },
          models: toyModel,
          task: { kind: 'world', id: 'toy/copy' },
          sampling: { maxTokens: 4 },
          evaluation: { problems: 0 },
          budget: { steps: 3, batch: 4 },
          seed: 5,
        }),
      );
      const rows = seen.flatMap((event) => (event.type === 'trajectories' ? event.rows : []));
      expect(rows.filter(({ step }) => step === 1)).toHaveLength(24);
      const byId = new Map(rows.map((row) => [row.id, row]));
      const branches = rows.filter(({ parent }) => parent !== undefined);
      expect(branches.length).toBeGreaterThan(8);
      for (const { parent, tokens, promptLength, promptId, scores } of branches) {
        const from = byId.get(parent ?? '');
        expect(from?.promptId).toBe(promptId);
        expect([...tokens.subarray(0, promptLength)]).toEqual([
          ...(from?.tokens.subarray(0, promptLength) ?? []),
        ]);
        expect(scores.verifier).toBeGreaterThanOrEqual(0);
      }
    },
  );
});

describe('pairs of sibling steps', () => {
  // V: behind 2: ½·(V(22) + V(21)) = ½ (V(22) = 0); prompt: ½·(1 + ½) = ¾
  test('step-apo, x1: the best and the worst step of each state, with their advantages', async () => {
    const found = await runPart(part.siblingPairs({ choose: 'every', gap: 0.1, step: 'token' }), table, {
      text: {} as never,
    });
    expect(lists(found, 'tokens')).toEqual([
      [9, 1],
      [9, 2],
      [9, 2, 1],
      [9, 2, 2],
    ]);
    expect(lists(found, 'mask')).toEqual([
      [0, 1],
      [0, 1],
      [0, 0, 1],
      [0, 0, 1],
    ]);
    expect([...(found['row/gain'] as Float64Array)]).toEqual([0.25, -0.25, 0.5, -0.5]);
    expect([...(found.pairId as Float64Array)]).toEqual([0, 0, 1, 1]);
  });

  test('step-dpo: the first step that lost most of a wrong answer, weighed by the difference', async () => {
    const found = await runPart(
      part.siblingPairs({ choose: 'pit', gap: 0.1, step: 'token', weigh: true }),
      table,
      { text: {} as never },
    );
    expect(lists(found, 'tokens')).toEqual([
      [9, 2, 1],
      [9, 2, 2],
    ]);
    expect([...(found.weight as Float64Array)]).toEqual([1, 1]);
    const none = await runPart(part.siblingPairs({ choose: 'pit', gap: 1, step: 'token' }), table, {
      text: {} as never,
    });
    expect(none.pairId).toEqual(new Float64Array(0));
  });
});

describe('rest-mcts', () => {
  test('qualities rise by 1 ⁄ K on a right answer of K steps, and fall where none follows', async () => {
    const found = await runPart(part.processTargets({ step: 'token', threshold: 0.5 }), table, {
      text: {} as never,
    });
    // behind 2: right in two steps, ⅓; behind 22: none follows, one step to an end: ⅓ − ⅔ ⁄ 2 = 0
    const wanted = [
      [0, 0, 1 / 3, 2 / 3],
      [0, 0, 1 / 3, 0],
      [0, 0, 1 / 3, 2 / 3],
      [0, 0, 0, 0],
    ];
    lists(found, 'returns').forEach((row, r) =>
      expect(row).toEqual(wanted[r].map((x, t) => expect.closeTo(t > answers[r].given ? x : 0, 12))),
    );
  });

  test('imitates each right answer once and whole', async () => {
    const twice = part.wholeTraces({ threshold: 0.5, most: 8 });
    const found = await runPart(twice, table);
    expect(lists(found, 'tokens')).toEqual([
      [9, 1, 1, 1],
      [9, 2, 1, 1],
    ]);
    expect(lists(found, 'mask')).toEqual([
      [0, 1, 1, 1],
      [0, 1, 1, 1],
    ]);
    // the rows themselves are unchanged
    expect(lists(table, 'mask')[2]).toEqual([0, 0, 1, 1]);
  });
});
