/** A finite automaton over characters, for texts of a pattern. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { Pattern, Range } from './pattern.ts';

/** States of an automaton before it is made deterministic; a grammar that needs more is refused. */
const MOST_STATES = 50_000;

interface Node {
  /** States reached without a character. */
  readonly free: number[];
  moves: { readonly ranges: readonly Range[]; readonly to: number }[];
}

/** A state after some text: the set of places in the pattern where that text may have come to. */
export interface State {
  readonly places: readonly number[];
  /** True if the text may end here. */
  readonly accepts: boolean;
  /** Fewest characters to a text that may end. */
  readonly distance: number;
  readonly next: Map<number, State | undefined>;
}

const admits = (ranges: readonly Range[], character: number): boolean =>
  ranges.some(([low, high]) => character >= low && character <= high);

/** Adds the places of a pattern between `from` and the one that it returns (Thompson 1968). */
const build = (nodes: Node[], pattern: Pattern, from: number, where: string): number => {
  const make = (): number => {
    if (nodes.length >= MOST_STATES)
      throw new WhetstoneError('invalid-input', `The grammar needs more than ${MOST_STATES} states.`, {
        where,
        hint: 'Use smaller bounds of repetitions.',
      });
    return nodes.push({ free: [], moves: [] }) - 1;
  };
  switch (pattern.kind) {
    case 'set': {
      const to = make();
      nodes[from].moves.push({ ranges: pattern.ranges, to });
      return to;
    }
    case 'sequence':
      return pattern.parts.reduce((at, part) => build(nodes, part, at, where), from);
    case 'choice': {
      const to = make();
      for (const option of pattern.options) {
        const start = make();
        nodes[from].free.push(start);
        nodes[build(nodes, option, start, where)].free.push(to);
      }
      return to;
    }
    case 'repeat': {
      let at = from;
      for (let count = 0; count < pattern.least; count++) at = build(nodes, pattern.of, at, where);
      const to = make();
      if (pattern.most === Infinity) {
        const start = make();
        nodes[at].free.push(start);
        nodes[build(nodes, pattern.of, start, where)].free.push(start);
        nodes[start].free.push(to);
        return to;
      }
      nodes[at].free.push(to);
      for (let count = pattern.least; count < pattern.most; count++) {
        at = build(nodes, pattern.of, at, where);
        nodes[at].free.push(to);
      }
      return to;
    }
  }
};

/** Fewest characters from each place to `end`; Infinity where it cannot be reached. */
const distances = (nodes: readonly Node[], end: number): Float64Array => {
  const before: { readonly from: number; readonly cost: number }[][] = nodes.map(() => []);
  nodes.forEach(({ free, moves }, from) => {
    for (const to of free) before[to].push({ from, cost: 0 });
    for (const { to } of moves) before[to].push({ from, cost: 1 });
  });
  const far = new Float64Array(nodes.length).fill(Infinity);
  far[end] = 0;
  let level = [end];
  for (let distance = 0; level.length > 0; distance++) {
    const later: number[] = [];
    for (let at = 0; at < level.length; at++) {
      if (far[level[at]] !== distance) continue;
      for (const { from, cost } of before[level[at]]) {
        if (distance + cost >= far[from]) continue;
        far[from] = distance + cost;
        (cost === 0 ? level : later).push(from);
      }
    }
    level = later;
  }
  return far;
};

export class Automaton {
  readonly start: State | undefined;
  readonly #nodes: readonly Node[];
  readonly #end: number;
  readonly #distance: Float64Array;
  readonly #states = new Map<string, State>();

  /**
   * `spells` says which characters can be written one at a time: only those count as a way to an end.
   * `start` is undefined if no text of such characters fits. Throws `invalid-input` for a grammar that is
   * too large.
   */
  constructor(pattern: Pattern, spells: (ranges: readonly Range[]) => boolean, where: string) {
    const nodes: Node[] = [{ free: [], moves: [] }];
    this.#end = build(nodes, pattern, 0, where);
    this.#nodes = nodes;
    const spelled = nodes.map(({ free, moves }) => ({
      free,
      moves: moves.filter(({ ranges }) => spells(ranges)),
    }));
    this.#distance = distances(spelled, this.#end);
    this.start = this.#state([0]);
  }

  /** The state of these places and all that they reach without a character; undefined without a way to an end. */
  #state(places: readonly number[]): State | undefined {
    const found = new Set<number>();
    const open = [...places];
    for (let place = open.pop(); place !== undefined; place = open.pop()) {
      if (found.has(place) || this.#distance[place] === Infinity) continue;
      found.add(place);
      open.push(...this.#nodes[place].free);
    }
    if (found.size === 0) return undefined;
    const sorted = [...found].sort((a, b) => a - b);
    const key = sorted.join();
    const known = this.#states.get(key);
    if (known) return known;
    const state: State = {
      places: sorted,
      accepts: found.has(this.#end),
      distance: sorted.reduce((least, place) => Math.min(least, this.#distance[place]), Infinity),
      next: new Map(),
    };
    this.#states.set(key, state);
    return state;
  }

  /** The state after one more character; undefined if no text goes on with it. */
  after(state: State, character: number): State | undefined {
    if (state.next.has(character)) return state.next.get(character);
    const to = this.#state(
      state.places.flatMap((place) =>
        this.#nodes[place].moves.flatMap((move) => (admits(move.ranges, character) ? [move.to] : [])),
      ),
    );
    state.next.set(character, to);
    return to;
  }
}
