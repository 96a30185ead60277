import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  colourings,
  completeBipartite,
  cycle,
  firstColouring,
  isConnected,
  petersen,
  type Graph,
} from '../../../engine/worlds/graph.ts';
import { openWorldById } from '../../../engine/worlds/index.ts';
import { bestConstant, CEILING, solved, stepsOf } from '../../support/worlds.ts';

const world = openWorldById('graph-colouring');
const judge = (prompt: string, ...lines: string[]) => world.verify(prompt, lines.join('\n'));
const path: Graph = {
  vertices: 3,
  edges: [
    [0, 1],
    [1, 2],
  ],
};
const triangle = 'colour ab ac bc with 2?';

const edgesIn = (prompt: string): [string, string][] =>
  (prompt.match(/\b[a-l]{2}\b/g) ?? []).map((edge) => [edge[0], edge[1]]);
/** Tries every assignment, counting up in base k. */
const bruteForce = (prompt: string): string => {
  const edges = edgesIn(prompt);
  const k = Number(prompt.at(-2));
  const n = new Set(edges.flat()).size;
  for (let code = 0; code < k ** n; code++) {
    const digits = code.toString(k).padStart(n, '0');
    const at = (vertex: string) => digits[vertex.charCodeAt(0) - 97];
    if (edges.every(([a, b]) => at(a) !== at(b)))
      return `#${[...digits].map((digit) => Number(digit) + 1).join('')}`;
  }
  return '#none';
};

describe('counting colourings', () => {
  test('3-colourings of C5, Petersen and K3,3 are 30, 120 and 42', () => {
    expect([cycle(5), petersen, completeBipartite(3, 3)].map((graph) => colourings(graph, 3))).toEqual([
      30, 120, 42,
    ]);
  });

  test('follow the chromatic polynomials of cycles, paths and complete bipartite graphs', () => {
    for (const k of [1, 2, 3, 4]) {
      for (const n of [3, 4, 5, 6]) expect(colourings(cycle(n), k)).toBe((k - 1) ** n + (-1) ** n * (k - 1));
      expect(colourings(path, k)).toBe(k * (k - 1) ** 2);
      expect(colourings(completeBipartite(2, 3), k)).toBe(k * (k - 1) ** 3 + k * (k - 1) * (k - 2) ** 3);
    }
  });

  test('a first colouring exists exactly if there are any, and is proper', () => {
    const graph = fc.integer({ min: 2, max: 6 }).chain((vertices) =>
      fc
        .array(
          fc.tuple(fc.nat(vertices - 1), fc.nat(vertices - 1)).filter(([a, b]) => a !== b),
          { maxLength: 12 },
        )
        .map((edges): Graph => ({ vertices, edges })),
    );
    fc.assert(
      fc.property(graph, fc.integer({ min: 1, max: 4 }), (g, k) => {
        const found = firstColouring(g, k);
        expect(found !== null).toBe(colourings(g, k) > 0);
        if (found) expect(g.edges.every(([a, b]) => found[a] !== found[b])).toBe(true);
      }),
    );
  });

  test('detects connected graphs', () => {
    expect(
      [
        cycle(5),
        petersen,
        {
          vertices: 4,
          edges: [
            [0, 1],
            [2, 3],
          ],
        } as Graph,
      ].map(isConnected),
    ).toEqual([true, true, false]);
  });
});

describe('graph colouring', () => {
  test.each([2, 3, 4])('with %d colours, brute force solves every problem', (colours) => {
    expect(solved(openWorldById('graph-colouring', { colours, heldoutLevels: 0 }), bruteForce, 100)).toEqual(
      CEILING,
    );
  });

  test.each([2, 3, 4])(
    'with %d colours, no fixed colouring solves more than one in twenty problems of the easiest level',
    (colours) => {
      expect(
        bestConstant(openWorldById('graph-colouring', { colours, levels: 1, heldoutLevels: 0 }), 1000).share,
      ).toBeLessThan(0.05);
    },
  );

  test('levels add a vertex; graphs are connected; uncolourable graphs are left out', () => {
    for (let i = 0; i < 200; i++) {
      const { prompt, level, reference } = world.problem('heldout', i, 0);
      expect(new Set(edgesIn(prompt).flat()).size).toBe(level + 6);
      expect(reference).not.toBe('none');
    }
  });

  test('includes uncolourable graphs on request, of the same size as the others; "none" is right only for them', () => {
    const hard = openWorldById('graph-colouring', { uncolourable: 0.4, levels: 1, heldoutLevels: 0 });
    const problems = Array.from({ length: 200 }, (_, i) => hard.problem('heldout', i, 0));
    const none = problems.filter(({ reference }) => reference === 'none');
    expect(none.length).toBeGreaterThan(50);
    expect(none.length).toBeLessThan(110);
    expect(new Set(problems.map(({ prompt }) => prompt.length)).size).toBe(1);
    for (const problem of problems)
      expect(hard.verify(problem, '#none').correct).toBe(problem.reference === 'none');
    expect(solved(hard, bruteForce, 100)).toEqual(CEILING);
  });

  test('reports the error', () => {
    const reason = (answer: string) => judge('colour ab bc with 3?', answer).reason;
    expect(reason('#121')).toBe('right');
    expect(reason('#123')).toBe('right');
    expect(reason('#112')).toBe('a and b have the same colour');
    expect(reason('#12')).toBe('not one colour for each of 3 vertices');
    expect(reason('#141')).toBe('more than 3 colours');
    expect(reason('#none')).toBe('there is a colouring');
    expect(judge(triangle, '#none').correct).toBe(true);
    for (const prompt of ['colour aa with 3?', 'colour ac with 3?', 'colour ab with 9?', 'colour with 3?'])
      expect(judge(prompt, '#12').reason).toBe('not a problem of this world');
  });

  test('steps conflict with coloured neighbours, and follow if the vertex has no colour yet', () => {
    expect(
      judge('colour ab bc with 3?', 'a=1', 'b=1', 'c=2', 'c=3', 'd=1', 'b=7', '#112').steps?.map(
        ({ holds, follows }) => [holds, follows],
      ),
    ).toEqual([
      [true, true],
      [false, true],
      [true, true],
      [true, false],
      [false, false],
      [false, false],
    ]);
    const { right, wrong, rambling } = stepsOf(world, 300);
    expect([right.sound, wrong.sound, rambling.sound]).toEqual([1, 0, 0]);
  });
});
