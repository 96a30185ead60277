/** Opens the scorers of a run: those that it learns from, and those that are only recorded at evaluation. */
import type { InitialModel, TextScorer } from '../../rewards/index.ts';
import { openStack, type PlacedReward, type Stack } from '../../rewards/stack.ts';
import { Device, Tally } from '../../runtime/index.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import {
  checkpointOpener,
  openLikelihood,
  openTextScorer,
  spelledAsPrompts,
} from '../evaluation/model-scorers.ts';
import type { Method } from '../kernel/method.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { checkPrompts } from './refusals.ts';
import type { Scoring } from './session.ts';

/**
 * Scorers that are recorded at evaluation, with their places in the specification. They count for nothing.
 */
export const besideOf = ({ evaluation }: RunSpec): PlacedReward[] =>
  evaluation.rewards.map((reward, at) => ({ ...reward, weight: 0, where: `evaluation.rewards.${at}` }));

/**
 * Opens them once, on a device that keeps nothing, so that one that cannot be opened is refused before the
 * first step and not at the first evaluation.
 */
export const checkBeside = async (
  run: StartRun,
  { produces }: Method,
  { evaluationWorld, heldout }: TaskData,
  scoring: Scoring,
): Promise<void> => {
  const beside = besideOf(run.spec);
  if (beside.length === 0 || produces !== 'policy' || run.spec.evaluation.problems === 0) return;
  await openRewards(
    run,
    beside,
    evaluationWorld,
    new Device({ id: run.spec.device, tally: new Tally() }),
    scoring,
    heldout.problems.map(({ prompt }) => prompt),
  );
};

/**
 * The scorers of a list, with what they may ask for. `prompts`: what they will be asked about, which their
 * models must be able to read.
 */
export const openRewards = async (
  run: StartRun,
  rewards: readonly PlacedReward[],
  world: TaskData['world'],
  device: Device,
  { initial, ...scoring }: Scoring,
  prompts: readonly string[] = [],
): Promise<Stack> => {
  const accept = (checkpointId: string, scorer: TextScorer): void =>
    checkPrompts(checkpointId, scorer, prompts);
  const { rehearsal } = scoring;
  const asked =
    initial && rehearsal
      ? {
          ...initial,
          answers: async (...given: Parameters<InitialModel['answers']>) =>
            spelledAsPrompts(await initial.answers(...given)),
        }
      : initial;
  const stack = await openStack(rewards, {
    ...scoring,
    reference: true,
    ...(asked && { initial: asked }),
    ...(world && { world }),
    checkpoint: checkpointOpener(device, run.resources, openTextScorer, accept),
    policy: checkpointOpener(device, run.resources, openLikelihood, accept),
  });
  return rehearsal ? { ...stack, score: (rows) => stack.score(spelledAsPrompts(rows)) } : stack;
};
