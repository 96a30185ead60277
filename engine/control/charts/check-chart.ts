/** Checks a chart against its world before anything is trained with it. */
import { uniform } from '../../random/random.ts';
import type { ControlWorld } from '../control-world.ts';
import type { CompiledChart } from './chart.ts';
import { follow, replay, unfollowed, type Followed } from './monitor.ts';

/**
 * `constant`: a state always holds; `unreachable`: it never does; `order`: it can hold, but never behind
 * those before it; `at start`: the order is complete at the start; `any order`: the reversed trajectory
 * completes it too.
 */
export interface ChartFault {
  readonly kind: 'constant' | 'unreachable' | 'order' | 'at start' | 'any order';
  readonly state: string;
  readonly message: string;
}

export interface CheckedChart {
  readonly faults: readonly ChartFault[];
  /**
   * Actions by name that complete the order, in the fewest steps unless only random actions did; null if none
   * was found.
   */
  readonly example: {
    readonly actions: readonly string[];
    readonly observations: readonly number[][];
  } | null;
  /**
   * True if every situation that the drawn starts lead to was searched. Where a world has other starts, a
   * state may hold behind those.
   */
  readonly isComplete: boolean;
  /** Pairs of a world's state and a place in the order that were searched. */
  readonly searched: number;
}

interface Node {
  readonly state: Float64Array;
  readonly seen: number[];
  readonly followed: Followed;
  readonly steps: number;
  readonly from?: Node;
  readonly action?: number;
}

export interface CheckOptions {
  /** Start states that are drawn, and the most nodes that are searched from all of them. */
  readonly starts?: number;
  readonly most?: number;
  readonly seed?: number;
  /** Episodes of random actions before the search, each from a start of its own: 0 by default. */
  readonly wander?: number;
  /** Stops the search once every state has held and has not, and a way that completes the order is known. */
  readonly untilClear?: boolean;
}

interface Tried {
  readonly name: string;
  readonly numbers: readonly number[];
}

/**
 * Every choice; of actions that are numbers, the bounds and the middle of each one, the others in the middle.
 */
const triedActions = ({ actions }: ControlWorld): Tried[] => {
  if (actions.kind === 'choices') return actions.names.map((name, at) => ({ name, numbers: [at] }));
  const middle = actions.low.map((low, k) => (low + actions.high[k]) / 2);
  const ends = middle.flatMap((_, k) => [actions.low, actions.high].map((bound) => middle.with(k, bound[k])));
  return [middle, ...ends].map((numbers) => ({ name: numbers.join(' '), numbers }));
};

/** Searches the world together with the chart, breadth first, from several starts. */
class Search {
  readonly #world: ControlWorld;
  readonly #compiled: CompiledChart;
  readonly #actions: readonly Tried[];
  /** By state: whether it has held, and whether it has not. */
  readonly held: boolean[];
  readonly absent: boolean[];
  /** Most states of the order that were reached; and the number of starts at which all of them are. */
  best = 0;
  completeStarts = 0;
  readonly starts = new Set<string>();
  complete?: Node;
  /** The end of random actions that completed the order. */
  wandered?: Node;
  searched = 0;
  isComplete: boolean;
  readonly #untilClear: boolean;

  constructor(world: ControlWorld, compiled: CompiledChart, untilClear: boolean) {
    this.#untilClear = untilClear;
    this.#world = world;
    this.#compiled = compiled;
    this.#actions = triedActions(world);
    // of actions that are numbers only some are tried
    this.isComplete = world.actions.kind === 'choices';
    this.held = compiled.states.map(() => false);
    this.absent = compiled.states.map(() => false);
  }

  /** True if nothing that a further search could find would remove a fault, and none is wanted. */
  get #isEnough(): boolean {
    return (
      this.#untilClear &&
      this.complete !== undefined &&
      this.held.every(Boolean) &&
      this.absent.every(Boolean)
    );
  }

  /** A start, before anything is done. */
  begin(start: Float64Array): Node {
    const first = this.#node(start, unfollowed, 0);
    this.starts.add(start.join());
    if (this.#isComplete(first)) {
      this.completeStarts++;
      this.complete ??= first;
    }
    return first;
  }

  /** Random actions from a start to the end of the episode. */
  wander(start: Float64Array, draw: () => number): void {
    let node = this.#node(start, unfollowed, 0);
    while (node.steps < this.#world.limit && !this.#world.isTerminal(node.state, 0)) {
      node = this.#next(node, Math.floor(draw() * this.#actions.length));
      if (this.#isComplete(node)) this.wandered ??= node;
    }
  }

  /** All nodes that can be reached from a start within the world's limit, until `most` are known. */
  from(first: Node, most: number): void {
    const open = [first];
    const known = new Set([keyOf(first)]);
    this.searched++;
    for (let at = 0; at < open.length; at++) {
      const node = open[at];
      if (this.#isEnough) {
        this.isComplete = false;
        return;
      }
      if (node.steps >= this.#world.limit || this.#world.isTerminal(node.state, 0)) continue;
      for (const next of this.#after(node)) {
        const key = keyOf(next);
        if (known.has(key)) continue;
        if (this.#isComplete(next)) this.complete ??= next;
        if (++this.searched > most) {
          this.isComplete = false;
          return;
        }
        known.add(key);
        open.push(next);
      }
    }
  }

  #isComplete({ followed }: Node): boolean {
    return followed.reached === this.#compiled.order.length;
  }

  #after(node: Node): Node[] {
    return this.#actions.map((_, action) => this.#next(node, action));
  }

  #next(node: Node, action: number): Node {
    const state = node.state.slice();
    this.#world.advance(state, 0, this.#actions[action].numbers, 0);
    return { ...this.#node(state, node.followed, node.steps + 1), from: node, action };
  }

  #node(state: Float64Array, before: Followed, steps: number): Node {
    const { states } = this.#compiled;
    const out = new Float32Array(this.#world.observations.length);
    this.#world.observe(state, 0, out, 0);
    const followed = follow(this.#compiled, before, out);
    states.forEach((holds, s) => {
      if (holds(out, 0)) this.held[s] = true;
      else this.absent[s] = true;
    });
    this.best = Math.max(this.best, followed.reached);
    return { state, seen: [...out], followed, steps };
  }
}

const keyOf = ({ state, followed: { reached, since } }: Node): string =>
  `${state.join()} ${reached} ${since}`;

/** From the start to a node. */
const pathTo = (node: Node): Node[] => {
  const path = [node];
  while (path[0].from) path.unshift(path[0].from);
  return path;
};

/**
 * Searches all that a driver of the world could do, from several starts, and names what is wrong with a
 * chart. Worlds with continuous states are searched only in part, and then what was not seen may exist.
 */
export const checkChart = (
  world: ControlWorld,
  compiled: CompiledChart,
  { starts = 4, most = 200_000, seed = 1, wander = 0, untilClear = false }: CheckOptions = {},
): CheckedChart => {
  const search = new Search(world, compiled, untilClear);
  const startOf = (start: number): Float64Array => {
    const state = new Float64Array(world.stateSize);
    let drawn = 0;
    world.start(state, 0, () => uniform(seed, 'chart-start', start, drawn++));
    return state;
  };
  const firsts = Array.from({ length: starts }, (_, start) => search.begin(startOf(start)));
  for (let episode = 0; episode < wander; episode++) {
    let drawn = 0;
    search.wander(startOf(starts + episode), () => uniform(seed, 'chart-wander', episode, drawn++));
  }
  firsts.forEach((first, start) => search.from(first, Math.floor((most * (start + 1)) / starts)));
  const fewest = search.complete && pathTo(search.complete);
  const path = fewest ?? (search.wandered && pathTo(search.wandered));
  const names = triedActions(world).map(({ name }) => name);
  return {
    // actions at random go back and forth, so that they say nothing about the reversed order
    faults: faultsOf(search, compiled, starts, fewest),
    example: path
      ? {
          actions: path.slice(1).map(({ action = 0 }) => names[action]),
          observations: path.map(({ seen }) => seen),
        }
      : null,
    isComplete: search.isComplete,
    searched: search.searched,
  };
};

const faultsOf = (
  search: Search,
  compiled: CompiledChart,
  starts: number,
  path: readonly Node[] | undefined,
): ChartFault[] => {
  const { chart, order } = compiled;
  const drawn = search.starts.size > 1 ? ` from the ${starts} starts that were drawn` : '';
  const all = search.isComplete ? drawn : ` in the ${search.searched} situations that were searched`;
  const faults = chart.states.flatMap(({ name: state }, s): ChartFault[] => {
    if (!search.held[s]) return [{ kind: 'unreachable', state, message: `'${state}' never holds${all}.` }];
    return search.absent[s] ? [] : [{ kind: 'constant', state, message: `'${state}' always holds${all}.` }];
  });
  const last = chart.states[order[order.length - 1]].name;
  if (search.completeStarts === starts)
    return [
      ...faults,
      {
        kind: 'at start',
        state: last,
        message: `The order is complete at the start: '${last}' holds there.`,
      },
    ];
  if (!path && search.best < order.length) {
    const next = order[search.best];
    const { name: state } = chart.states[next];
    const before = search.best > 0 ? `behind '${chart.states[order[search.best - 1]].name}'` : 'first';
    const message = `'${state}' can hold, but never ${before}${all}.`;
    return search.held[next] ? [...faults, { kind: 'order', state, message }] : faults;
  }
  const reversed = (path ?? []).map(({ seen }) => seen).reverse();
  if (order.length > 1 && replay(compiled, reversed).complete)
    faults.push({
      kind: 'any order',
      state: last,
      message: 'The same steps backwards complete the order too, so it says little about the order.',
    });
  return faults;
};
