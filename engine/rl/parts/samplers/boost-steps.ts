import type { RewardStack } from '../../kernel/reward-stack.ts';
import { mostSimilar, type SolvedStep } from '../math/similar-steps.ts';
import { bestOf, searchStage, type Candidate, type Grow, type Searched } from './candidates.ts';

export interface BoostPlan {
  readonly bank: readonly SolvedStep[];
  /** Least similarity of a step that is shown, and the length of the runs that are compared. */
  readonly least: number;
  readonly n: number;
  /** Most lines. */
  readonly rounds: number;
}

/**
 * Step-aligned examples (BoostStep, arXiv:2501.03226), `size` answers to each prompt: each line is first tried;
 * the text of the try looks up the most similar solved step, and the line is written again behind it. The try
 * stays where no step is similar enough. An answer ends with the best value.
 */
export const boosted = async (
  prompts: readonly string[],
  size: number,
  { bank, rounds, ...near }: BoostPlan,
  grow: Grow,
): Promise<readonly Searched[]> => {
  const tried = prompts.map(() => [] as Candidate[]);
  let open = prompts.flatMap((_, problem) =>
    Array.from({ length: size }, () => ({ problem, parent: -1, candidate: null as Candidate | null })),
  );
  for (let round = 0; round < rounds && open.length > 0; round++) {
    const tries = await grow(open);
    const looked = open.map(({ problem, parent, candidate }, at) => {
      const step = tries[at].text.slice(candidate?.text.length ?? 0);
      const example = mostSimilar(bank, step, near);
      return (
        example && {
          problem,
          parent,
          candidate,
          shown: `${example.problem}${example.step}${prompts[problem]}`,
        }
      );
    });
    const shown = looked.flatMap((one) => one ?? []);
    const again = shown.length > 0 ? await grow(shown) : [];
    let next = 0;
    open = open.flatMap(({ problem }, at) => {
      const redone = looked[at] ? again[next++] : undefined;
      // the dropped try was written too
      const line = redone ? { ...redone, fresh: redone.fresh + tries[at].fresh } : tries[at];
      const place = tried[problem].push(line) - 1;
      return line.isDone ? [] : [{ problem, parent: place, candidate: line }];
    });
  }
  return tried.map((own) => {
    const ended = own.flatMap(({ ended: whole }, place) => (whole ? [place] : []));
    return { tried: own, pick: bestOf(own, ended.length > 0 ? ended : [...own.keys()], 1)[0] };
  });
};

/** Boosted answers, 1, 2, 4, … of each prompt; see `boosted`. */
export const boostedSteps = (
  stack: RewardStack<'total'>,
  { groupSize, ...plan }: { readonly groupSize: number } & BoostPlan,
) =>
  searchStage(stack, {
    id: `boostedSteps(${groupSize}, ${plan.bank.length})`,
    by: 'line',
    sizes: Array.from({ length: 9 }, (_, at) => 2 ** at).filter((size) => size <= groupSize),
    search: (texts, size, grow) => boosted(texts, size, plan, grow),
  });
