import * as z from 'zod';
import type { RandomStream } from '../random/random.ts';
import { firstColouring, isConnected, type Graph } from './graph.ts';
import {
  answerOf,
  hardest,
  kindOf,
  levelsFit,
  levelsOf,
  NOT_A_PROBLEM,
  withRedundantLines,
  right,
  sharesFit,
  workedFields,
  wrong,
} from './worked.ts';
import { edgeWordings } from './wordings/edges.ts';
import { defineWorld, type StepVerdict, type WorldVerdict } from './world.ts';

const letters = 'abcdefghijkl';
const SMALLEST = 7;
const HIGHEST = letters.length - SMALLEST + 1;
const params = z
  .strictObject({
    colours: z.int().min(2).max(4).default(3).describe('Number of colours.'),
    uncolourable: z
      .number()
      .min(0)
      .max(0.5)
      .default(0)
      .describe(
        'Share of problems that have no colouring and whose answer is "none". More than .04 of them can be guessed.',
      ),
    ...workedFields(HIGHEST, 2, 2),
  })
  .refine(...levelsFit(HIGHEST))
  .refine(...sharesFit);
type Params = z.output<typeof params>;

/**
 * Colour the vertices so that the ends of each edge differ: `colour ab ac bc with 3?` → `a=1`, `b=2`, `c=3`,
 * `#123`, one digit per vertex in alphabetical order; any proper colouring counts. Level L has L + 6
 * vertices.
 */
export const graphColouring = defineWorld({
  id: 'graph-colouring',
  title: 'Graph colouring',
  summary:
    'Colour the vertices of a small graph, given as edges; any proper colouring counts. Levels grow by one vertex.',
  params,
  build: (p) => {
    const sizes = sizesOf(p);
    return {
      alphabet: [...new Set(`${letters}colourwithnone123456789 ?=#\n`)].join(''),
      ...sizes,
      heldout: p.heldout,
      levels: levelsOf(p),
      problem: (level, draw) => {
        const solvable = draw.next() >= p.uncolourable;
        const graph = drawGraph(level + SMALLEST - 1, p.colours, solvable, draw);
        const colouring = firstColouring(graph, p.colours);
        const edges = graph.edges
          .map(([a, b]) => letters[a] + letters[b])
          .sort()
          .join(' ');
        return {
          prompt: `colour ${edges} with ${p.colours}?`,
          reference: colouring ? textOf(colouring) : NONE,
          meta: { vertices: graph.vertices, edges: graph.edges.length },
        };
      },
      verify: colouringVerifier(4 * sizes.maxTokens),
      wordings: edgeWordings({
        answer: solutionOf,
        worked: (prompt) => {
          const solution = solutionOf(prompt);
          return solution === null ? null : worked(solution).join('\n');
        },
      }),
      demonstration: ({ prompt, reference }, draw) => {
        const kind = kindOf(p, draw);
        if (kind === 'wrong')
          return { answer: worked(wrongColouring(parse(prompt) as Task, reference, draw)).join('\n'), kind };
        const lines = worked(reference);
        return {
          answer: (kind === 'right'
            ? lines
            : withRedundantLines(lines, (line) => [line], sizes.maxTokens - 1, draw)
          ).join('\n'),
          kind,
        };
      },
    };
  },
});

const NONE = 'none';
const textOf = (colours: readonly number[]): string => colours.map((colour) => colour + 1).join('');
const worked = (answer: string): string[] => [
  ...(answer === NONE ? [] : [...answer].map((colour, v) => `${letters[v]}=${colour}`)),
  `#${answer}`,
];

/**
 * Edges per vertex, by number of colours: enough that a fixed colouring fits fewer than one problem in
 * twenty, and that most still have several.
 */
const density: { readonly [colours: number]: number } = { 2: 1.2, 3: 1.7, 4: 2.15 };
const edgesOf = (n: number, colours: number): number => Math.round(n * density[colours]);
/** An edge takes three characters, a worked line four; redundant lines get the room of four. */
const sizesOf = (p: Params) => {
  const n = hardest(p) + SMALLEST - 1;
  return {
    maxPromptTokens: 'colour with 3?'.length + 3 * edgesOf(n, p.colours) + 1,
    maxTokens: 4 * n + 16 + n + 6,
  };
};

/**
 * A connected graph without edges inside a hidden colour class; or, if it must not be solvable, a connected
 * graph of that size without a colouring.
 */
const drawGraph = (vertices: number, colours: number, solvable: boolean, draw: RandomStream): Graph => {
  for (;;) {
    const hidden = Array.from({ length: vertices }, () => draw.int(colours));
    const pairs = hidden.flatMap((colour, a) =>
      hidden
        .slice(a + 1)
        .flatMap((other, i) => (solvable && other === colour ? [] : [[a, a + 1 + i] as const])),
    );
    const graph = { vertices, edges: someOf(pairs, edgesOf(vertices, colours), draw) };
    if (
      graph.edges.length === edgesOf(vertices, colours) &&
      isConnected(graph) &&
      (solvable || firstColouring(graph, colours) === null)
    )
      return graph;
  }
};

const someOf = <T>(items: readonly T[], count: number, draw: RandomStream): T[] => {
  const left = [...items];
  return Array.from({ length: Math.min(count, left.length) }, () => left.splice(draw.int(left.length), 1)[0]);
};

/**
 * One vertex takes a neighbour's colour; later ones avoid conflicts if they can. If nothing fits, a
 * colouring is claimed.
 */
const wrongColouring = ({ graph, k }: Task, reference: string, draw: RandomStream): string => {
  if (reference === NONE) return textOf(Array.from({ length: graph.vertices }, () => draw.int(k)));
  const [a, b] = draw.pick(graph.edges);
  const [first, at] = a < b ? [a, b] : [b, a];
  const colours = [...reference].map((digit) => Number(digit) - 1);
  const clashes = (vertex: number, colour: number): boolean =>
    graph.edges.some(
      ([x, y]) =>
        (x === vertex && y < vertex && colours[y] === colour) ||
        (y === vertex && x < vertex && colours[x] === colour),
    );
  colours[at] = colours[first];
  for (let vertex = at + 1; vertex < graph.vertices; vertex++) {
    const free = [colours[vertex], ...Array.from({ length: k }, (_, i) => i)].find(
      (colour) => !clashes(vertex, colour),
    );
    colours[vertex] = free ?? colours[vertex];
  }
  return textOf(colours);
};

interface Task {
  readonly graph: Graph;
  readonly k: number;
}
/** Edges in alphabetical order, none twice, and every letter up to the last one. */
const parse = (prompt: string): Task | null => {
  const [, edges, k] = /^colour ([a-l]{2}(?: [a-l]{2}){0,65}) with ([2-4])\?$/.exec(prompt) ?? [];
  if (edges === undefined) return null;
  const joined = edges
    .split(' ')
    .map((edge) => [letters.indexOf(edge[0]), letters.indexOf(edge[1])] as const);
  const met = new Set(joined.flat());
  if (joined.some(([a, b]) => a === b) || Math.max(...met) !== met.size - 1) return null;
  return { graph: { vertices: met.size, edges: joined }, k: Number(k) };
};

/** The first colouring of a prompt's graph, whatever the order of its edges; null for no problem. */
const solutionOf = (prompt: string): string | null => {
  const task = parse(prompt);
  if (!task) return null;
  const colouring = firstColouring(task.graph, task.k);
  return colouring ? textOf(colouring) : NONE;
};

/**
 * Checks `#1213`: one colour per vertex, no edge with the same colour at both ends; `#none` is right if no
 * colouring exists.
 */
const colouringVerifier =
  (longest: number) =>
  (prompt: string, completion: string): WorldVerdict => {
    const task = parse(prompt);
    if (!task) return NOT_A_PROBLEM;
    const given = answerOf(completion, longest);
    if ('correct' in given) return given;
    const { graph, k } = task;
    const steps = judgeSteps(task, given.lines);
    if (given.answer === NONE)
      return firstColouring(graph, k) === null ? right(steps) : wrong('there is a colouring', steps);
    const colours = [...given.answer].map(Number);
    if (colours.length !== graph.vertices || !/^[1-9]+$/.test(given.answer))
      return wrong(`not one colour for each of ${graph.vertices} vertices`, steps);
    if (colours.some((colour) => colour > k)) return wrong(`more than ${k} colours`, steps);
    const clash = graph.edges.find(([a, b]) => colours[a] === colours[b]);
    return clash
      ? wrong(`${letters[clash[0]]} and ${letters[clash[1]]} have the same colour`, steps)
      : right(steps);
  };

/** `b=2` holds if no coloured neighbour has this colour, and follows if b has none yet. */
const judgeSteps = ({ graph, k }: Task, lines: readonly string[]): StepVerdict[] => {
  const given = new Map<number, number>();
  return lines.map((line) => {
    const [, letter = '', digit] = /^([a-l])=([1-9])$/.exec(line) ?? [];
    const vertex = letter === '' ? graph.vertices : letters.indexOf(letter);
    const colour = Number(digit);
    if (vertex >= graph.vertices || colour > k) return { line, holds: false, follows: false };
    const clash = graph.edges.some(
      ([a, b]) => (a === vertex && given.get(b) === colour) || (b === vertex && given.get(a) === colour),
    );
    const follows = !given.has(vertex);
    if (follows) given.set(vertex, colour);
    return { line, holds: !clash, follows };
  });
};
