/** Beam search over worked lines: candidates grow by a line, and the best-valued ones are kept. */
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { bestOf, searchStage, type Candidate, type Grow, type Growing, type Searched } from './candidates.ts';

export type { Candidate } from './candidates.ts';

export interface BeamPlan {
  /** Candidates of each round. */
  readonly size: number;
  /** Candidates that continue each kept one, at most `size`: size ∕ expand are kept, at least one. */
  readonly expand: number;
  /** Most lines. */
  readonly rounds: number;
}

/**
 * Beam search on several problems at once. A round expands each kept candidate that is not done; those that are
 * done compete with the new ones. It ends when all kept ones are done. Equal values: the earlier candidate.
 */
export const beamSearch = async (
  problems: number,
  { size, expand, rounds }: BeamPlan,
  grow: Grow,
): Promise<readonly Searched[]> => {
  const searches = Array.from({ length: problems }, () => ({
    tried: [] as Candidate[],
    kept: [] as number[],
  }));
  for (let round = 0; round < rounds; round++) {
    const from = searches.flatMap(({ tried, kept }, problem): Growing[] =>
      round === 0
        ? Array.from({ length: size }, () => ({ problem, parent: -1, candidate: null }))
        : kept
            .filter((place) => !tried[place].isDone)
            .flatMap((parent) =>
              Array.from({ length: Math.min(expand, size) }, () => ({
                problem,
                parent,
                candidate: tried[parent],
              })),
            ),
    );
    if (from.length === 0) break;
    const grown = await grow(from);
    const fresh = searches.map(() => [] as number[]);
    grown.forEach((candidate, at) => {
      const { problem } = from[at];
      fresh[problem].push(searches[problem].tried.push(candidate) - 1);
    });
    searches.forEach((search, problem) => {
      const done = search.kept.filter((place) => search.tried[place].isDone);
      search.kept = bestOf(
        search.tried,
        [...done, ...fresh[problem]],
        Math.max(1, Math.floor(size / expand)),
      );
    });
  }
  return searches.map(({ tried, kept }) => {
    const ended = kept.filter((place) => tried[place].ended);
    return { tried, pick: bestOf(tried, ended.length > 0 ? ended : kept, 1)[0] };
  });
};

/** Sizes of the searches of a run: `expand`, and its doubles up to `most`. */
export const beamSizes = (most: number, expand: number): number[] => {
  const sizes: number[] = [];
  for (let size = expand; size <= most; size *= 2) sizes.push(size);
  return sizes.length > 0 ? sizes : [most];
};

/**
 * Beam search of rising size, each of its own candidates (Snell et al. 2024, arXiv:2408.03314, section 5.2):
 * every candidate is a row, partial answers included; `row/tokens` are those of its last line alone.
 */
export const beams = (
  stack: RewardStack<'total'>,
  {
    groupSize,
    expand,
    rounds,
  }: { readonly groupSize: number; readonly expand: number; readonly rounds: number },
) =>
  searchStage(stack, {
    id: `beams(${groupSize}, ${expand})`,
    by: 'line',
    sizes: beamSizes(groupSize, expand),
    search: ({ length }, size, grow) => beamSearch(length, { size, expand, rounds }, grow),
  });
