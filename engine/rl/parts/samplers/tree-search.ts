/** Tree search over worked lines, best states first. */
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { beamSizes } from './beam-search.ts';
import { bestOf, searchStage, type Candidate, type Grow, type Searched } from './candidates.ts';

export interface TreePlan {
  /** Expansions of a search, and the candidates that each makes. */
  readonly expansions: number;
  readonly expand: number;
  /** Most lines of an answer. */
  readonly lines: number;
  /** Weight of what is little tried. */
  readonly explore: number;
}

/** One search: its candidates, with the visits and the sum of values of each one's subtree. */
class Search {
  readonly tried: Candidate[] = [];
  readonly #visits: number[] = [];
  readonly #total: number[] = [];
  readonly #children = new Map<number, number[]>();
  readonly #lines: number;
  readonly #explore: number;

  constructor({ lines, explore }: TreePlan) {
    this.#lines = lines;
    this.#explore = explore;
  }

  add(candidate: Candidate): void {
    const place = this.tried.push(candidate) - 1;
    this.#visits.push(0);
    this.#total.push(0);
    this.#children.set(candidate.parent, [...(this.#children.get(candidate.parent) ?? []), place]);
    for (let at = place; at >= 0; at = this.tried[at].parent) {
      this.#visits[at] += 1;
      this.#total[at] += candidate.value;
    }
  }

  /** The candidate to continue, −1 for the empty answer; undefined if nothing is left. */
  next(from = -1, depth = 0): number | undefined {
    const children = this.#children.get(from);
    if (children === undefined)
      return depth < this.#lines && !(from >= 0 && this.tried[from].isDone) ? from : undefined;
    const all = children.reduce((sum, child) => sum + this.#visits[child], 0);
    const bound = (child: number): number =>
      this.#total[child] / this.#visits[child] +
      this.#explore * Math.sqrt(Math.log(all) / this.#visits[child]);
    for (const child of children.toSorted((a, b) => bound(b) - bound(a) || a - b)) {
      const found = this.next(child, depth + 1);
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** The best answer that was ended; without one, the best candidate. */
  pick(): number {
    const places = [...this.tried.keys()];
    const ended = places.filter((place) => this.tried[place].ended);
    return bestOf(this.tried, ended.length > 0 ? ended : places, 1)[0];
  }
}

/**
 * Monte Carlo tree search on several problems at once, guided by the values of partial answers: each expansion
 * descends by upper confidence bounds, mean value of the subtree + explore · √(ln N ⁄ n), to a candidate without
 * continuations, and adds `expand` of them (arXiv:2406.03816, section 3.2; no rollouts, a verifier's value instead).
 */
export const treeSearch = async (
  problems: number,
  plan: TreePlan,
  grow: Grow,
): Promise<readonly Searched[]> => {
  const searches = Array.from({ length: problems }, () => new Search(plan));
  for (let expansion = 0; expansion < plan.expansions; expansion++) {
    const from = searches.flatMap((search, problem) => {
      const parent = search.next();
      if (parent === undefined) return [];
      const candidate = parent < 0 ? null : search.tried[parent];
      return Array.from({ length: plan.expand }, () => ({ problem, parent, candidate }));
    });
    if (from.length === 0) break;
    (await grow(from)).forEach((candidate, at) => searches[from[at].problem].add(candidate));
  }
  return searches.map((search) => ({ tried: search.tried, pick: search.pick() }));
};

/** Tree searches of rising size, each of that many expansions; rows as of `beams`. */
export const guidedTrees = (
  stack: RewardStack<'total'>,
  {
    groupSize,
    expand,
    rounds,
    explore,
  }: Pick<TreePlan, 'expand' | 'explore'> & { readonly groupSize: number; readonly rounds: number },
) =>
  searchStage(stack, {
    id: `guidedTrees(${groupSize}, ${expand}, ${explore})`,
    by: 'line',
    sizes: beamSizes(groupSize, expand),
    search: ({ length }, expansions, grow) =>
      treeSearch(length, { expansions, expand, lines: rounds, explore }, grow),
  });
