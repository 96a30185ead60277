import { describe, expect, it } from 'vitest';
import { hashFraction } from '../../engine/random/hash.ts';
import { box, layersOf, layout, type Edge } from '../../renderer/features/lineage/layout.ts';
import { moved } from '../../renderer/features/lineage/moves.ts';
import { pageOf } from '../../renderer/features/lineage/things.ts';

/** A random graph without cycles. */
const randomGraph = (seed: number, count: number): Edge[] =>
  Array.from({ length: count }, (_none, to) =>
    Array.from({ length: to }, (_also, from) => ({ from, to })).filter(
      ({ from }) => hashFraction(`${seed} ${from} ${to}`) < 2 / count,
    ),
  ).flat();

const sizes = [1, 2, 5, 20, 60, 150];
describe.each(sizes)('the drawing of a graph of %d things', (count) => {
  const edges = randomGraph(count, count);
  const drawn = layout(count, edges);

  it('has no two boxes that overlap', () => {
    for (const [at, a] of drawn.nodes.entries())
      for (const b of drawn.nodes.slice(at + 1)) {
        const apart = Math.abs(a.x - b.x) >= box.width || Math.abs(a.y - b.y) >= box.height;
        expect(apart, JSON.stringify([a, b])).toBe(true);
      }
  });
  it('leads every edge from left to right, with a gap', () => {
    for (const { from, to } of edges)
      expect(drawn.nodes[to].x - drawn.nodes[from].x).toBeGreaterThanOrEqual(box.width + box.acrossGap);
  });
  it('is within its size, and the same every time', () => {
    for (const { x, y } of drawn.nodes) {
      expect(x).toBeGreaterThanOrEqual(0);
      expect(y).toBeGreaterThanOrEqual(0);
      expect(x + box.width).toBeLessThanOrEqual(drawn.width);
      expect(y + box.height).toBeLessThanOrEqual(drawn.height);
    }
    expect(layout(count, edges)).toEqual(drawn);
    expect(drawn.paths).toHaveLength(edges.length);
  });
});

describe('the drawing', () => {
  it('is empty without things', () => {
    expect(layout(0, [])).toMatchObject({ nodes: [], paths: [] });
  });
  it('puts a thing without origin next to what was made from it', () => {
    const chain = [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 3, to: 2 },
    ];
    expect(layersOf(4, chain)).toEqual([0, 1, 2, 1]);
  });
  it('does not lead an edge over a box that it passes', () => {
    const edges = [
      { from: 0, to: 1 },
      { from: 1, to: 2 },
      { from: 0, to: 2 },
    ];
    const drawn = layout(3, edges);
    const height = Number(/L[\d.]+ ([\d.]+)/.exec(drawn.paths[2])?.[1]);
    const passed = drawn.nodes[1].y;
    expect(height <= passed || height >= passed + box.height).toBe(true);
  });
  it('survives a cycle', () => {
    const edges = [
      { from: 0, to: 1 },
      { from: 1, to: 0 },
    ];
    expect(layout(2, edges).nodes.map(({ layer }) => layer)).toEqual([0, 1]);
  });
});

describe('an arrow key', () => {
  const edges = [
    { from: 0, to: 2 },
    { from: 1, to: 2 },
    { from: 2, to: 3 },
  ];
  const graph = { nodes: layout(4, edges).nodes, edges };
  it('leads along an edge to the nearest thing, or within the column', () => {
    expect(moved('ArrowLeft', 3, graph)).toBe(2);
    expect(moved('ArrowRight', 0, graph)).toBe(2);
    expect(moved('ArrowDown', 0, graph)).toBe(1);
    expect(moved('ArrowUp', 1, graph)).toBe(0);
    expect(moved('Home', 3, graph)).toBe(0);
  });
  it('leads nowhere from an end', () => {
    expect(moved('ArrowRight', 3, graph)).toBeNull();
    expect(moved('ArrowLeft', 0, graph)).toBeNull();
    expect(moved('ArrowUp', 0, graph)).toBeNull();
  });
});

describe('the page of a thing', () => {
  const page = (kind: Parameters<typeof pageOf>[0]['kind'], id: string, removed?: true) =>
    pageOf({ kind, id, name: '', note: '', removed });
  it('is that of its dataset, run or model; a file and a removed thing have none', () => {
    expect(page('version', 'd@12')).toEqual(['datasets', 'd']);
    expect(page('evaluation', 'r/evaluation/20')).toEqual(['runs', 'r', 'results']);
    expect(page('evaluation', 'r/reward-inspection/20')).toEqual(['rewards', 'r']);
    expect(page('checkpoint', 'c')).toEqual(['models', 'c']);
    expect(page('file', '/a')).toBeNull();
    expect(page('run', 'r', true)).toBeNull();
  });
});
