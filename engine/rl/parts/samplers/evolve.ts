/** Evolution of a pool of answers: the model revises, recombines and refines them, and the best stay. */
import type { RewardStack } from '../../kernel/reward-stack.ts';
import { bestOf, searchStage, type Candidate, type Grow, type Growing, type Searched } from './candidates.ts';

export interface EvolvePlan {
  /** Answers of the pool. */
  readonly size: number;
  readonly generations: number;
  /** Texts between the problem, the shown answers and the new one, by operator. */
  readonly words: { readonly revise: string; readonly recombine: string; readonly refine: string };
}

const operators = ['revise', 'recombine', 'refine'] as const;
type Operator = (typeof operators)[number];

/** The pool's best answers by value, distinct texts first; equal values: the earlier one. */
const selected = (tried: readonly Candidate[], pool: readonly number[], size: number): number[] => {
  const distinct = bestOf(tried, pool, size);
  const rest = pool.filter((place) => !distinct.includes(place));
  return [...distinct, ...rest.toSorted((a, b) => tried[b].value - tried[a].value || a - b)].slice(0, size);
};

/** What the model reads to change answers: the problem, the answers with the operator's word after each. */
const shownOf = (prompt: string, answers: readonly Candidate[], word: string): string =>
  answers.reduce((text, answer) => `${text}${answer.text}${word}`, prompt);

/** The child at place `at` of a generation: its operator by turns, its parents by rank. */
const parentsOf = (
  pool: readonly number[],
  at: number,
): { operator: Operator; parents: readonly number[] } => {
  const operator = operators[at % operators.length];
  const first = pool[at % pool.length];
  const second = pool[(at + 1) % pool.length];
  // the refined one is the best, from which redundancy is removed
  return {
    operator,
    parents: operator === 'recombine' ? [first, second] : [operator === 'refine' ? pool[0] : first],
  };
};

/**
 * Self-evolution of trajectories (SE-Agent, arXiv:2508.02085) on several problems at once: `size` answers of the
 * plain prompt; then in each generation as many children, which revise one answer, recombine two, or refine the
 * best, by turns; of both the best `size` stay, different texts before equal ones. It ends with the best answer
 * that the model ended itself, if there is one.
 */
export const evolution = async (
  prompts: readonly string[],
  { size, generations, words }: EvolvePlan,
  grow: Grow,
): Promise<readonly Searched[]> => {
  const searches = prompts.map(() => ({ tried: [] as Candidate[], pool: [] as number[] }));
  for (let generation = 0; generation <= generations; generation++) {
    const from = searches.flatMap(({ tried, pool }, problem) =>
      Array.from({ length: size }, (_, at): Growing => {
        if (generation === 0) return { problem, parent: -1, candidate: null };
        const { operator, parents } = parentsOf(pool, at);
        const shown = parents.map((place) => tried[place]);
        return {
          problem,
          parent: parents[0],
          candidate: null,
          shown: shownOf(prompts[problem], shown, words[operator]),
        };
      }),
    );
    const grown = await grow(from);
    grown.forEach((candidate, at) => {
      const { tried, pool } = searches[from[at].problem];
      pool.push(tried.push(candidate) - 1);
    });
    for (const search of searches) search.pool = selected(search.tried, search.pool, size);
  }
  return searches.map(({ tried, pool }) => {
    const ended = pool.filter((place) => tried[place].ended);
    return { tried, pick: bestOf(tried, ended.length > 0 ? ended : pool, 1)[0] };
  });
};

/** Evolution from pools of rising size; see `evolution`. */
export const evolved = (
  stack: RewardStack<'total'>,
  { groupSize, ...plan }: { readonly groupSize: number } & Omit<EvolvePlan, 'size'>,
) =>
  searchStage(stack, {
    id: `evolved(${groupSize}, ${plan.generations})`,
    by: 'answer',
    sizes: doubles(groupSize),
    search: (texts, size, grow) => evolution(texts, { ...plan, size }, grow),
  });

/** 2, 4, 8, … up to `most`; `most` alone if it is 1. */
const doubles = (most: number): number[] => {
  const sizes: number[] = [];
  for (let size = 2; size <= most; size *= 2) sizes.push(size);
  return sizes.length > 0 ? sizes : [most];
};
