/** Chooses the problems and scorers of a policy's evaluation. */
import { rewards as known } from '../../rewards/index.ts';
import type { PlacedReward, Stack } from '../../rewards/stack.ts';
import { referenceEvalTask, worldEvalTask, type EvalTask } from '../evaluation/eval-task.ts';
import { comparesWithReferences } from '../tasks/references.ts';
import type { Rewards } from './rewards.ts';
import type { Task } from './task.ts';

export interface EvalScorers {
  readonly evalTask: EvalTask;
  /** Scorers with the state that the run's own scorers have learned. */
  readonly stack: Stack;
  /** The proxy reward, which does not check correctness; null if there is none. */
  readonly proxy: string | null;
}

/** True if there are held-out problems and a scorer that can check correctness. */
export const canEvaluate = (
  { evalProblems, data }: Pick<Task, 'evalProblems' | 'data'>,
  { own, recorded }: Rewards,
): boolean =>
  evalProblems > 0 &&
  (data.evaluationWorld !== undefined ||
    (data.heldout.problems.length > 0 && [...own, ...recorded].some(comparesWithReferences)));

/** Opens the evaluation's scorers, including one that checks correctness; undefined if there is none. */
export const openEvalScorers = async (
  { data }: Pick<Task, 'data'>,
  rewards: Rewards,
): Promise<EvalScorers | undefined> => {
  const all = [...rewards.own, ...rewards.recorded];
  const { evaluationWorld: world, heldout } = data;
  const open = (specs: readonly PlacedReward[]) => rewards.open(specs, world);
  if (world)
    return {
      evalTask: worldEvalTask(world, heldout.problems),
      stack: rewards.asLearned(await open([...all, worldVerifier])),
      proxy: proxyOf(rewards, asksWorld),
    };
  const verifier = all.find(comparesWithReferences);
  if (!verifier || heldout.problems.length === 0) return undefined;
  return {
    evalTask: referenceEvalTask(heldout.problems, await open([{ ...verifier, weight: 1 }])),
    stack: rewards.asLearned(await open([verifier, ...all.filter((each) => each !== verifier)])),
    proxy: proxyOf(rewards, (id) => id === verifier.id),
  };
};

const worldVerifier: PlacedReward = { id: 'verifier', weight: 0, params: { value: 'reward' } };

const needsOf = (id: string): readonly string[] => known.find((reward) => reward.id === id)?.needs ?? [];
const asksWorld = (id: string): boolean => needsOf(id).includes('world');
const asksModel = (id: string): boolean =>
  needsOf(id).some((need) => need === 'checkpoint' || need === 'policy');

/**
 * The proxy: the run's total reward if a scorer other than `gold` has a nonzero weight, else a recorded model
 * scorer.
 */
const proxyOf = ({ own, recorded }: Rewards, gold: (id: string) => boolean): string | null => {
  if (own.some(({ id, weight }) => weight !== 0 && !gold(id))) return 'total';
  return recorded.find(({ id }) => asksModel(id))?.id ?? null;
};
