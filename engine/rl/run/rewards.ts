/** The scorers of a run: those that it learns from, and those that an evaluation opens beside them. */
import type { InitialModel, RewardContext, TextScorer } from '../../rewards/index.ts';
import { openStack, type PlacedReward, type Stack } from '../../rewards/stack.ts';
import { Device, Tally } from '../../runtime/index.ts';
import type { Resources } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import {
  checkpointOpener,
  openLikelihood,
  openTextScorer,
  spelledAsPrompts,
} from '../evaluation/model-scorers.ts';
import type { TaskData } from '../tasks/task-data.ts';
import type { FaultLog } from './fault-log.ts';
import { checkPrompts } from './refusals.ts';

/** What every scorer of a run is opened with. */
export interface Scoring {
  readonly device: Device;
  readonly resources: Resources;
  /** Answers that a scorer could not score. */
  readonly faults: FaultLog;
  /** The run is only measured: its answers are made up. */
  readonly isRehearsal: boolean;
  /** The model that the run began with, where it writes text. */
  readonly initial?: InitialModel;
}

type Lists = Pick<RunSpec, 'rewards' | 'evaluation'>;

/** Rewards that an evaluation records and nothing learns from, with their places in the specification. */
const recordedOf = ({ evaluation }: Lists): PlacedReward[] =>
  evaluation.rewards.map((reward, at) => ({ ...reward, weight: 0, where: `evaluation.rewards.${at}` }));

export class Rewards {
  /** Scorers of the rows that are learned from. */
  readonly stack: Stack;
  readonly #lists: Lists;
  readonly #scoring: Scoring;

  constructor(stack: Stack, lists: Lists, scoring: Scoring) {
    this.stack = stack;
    this.#lists = lists;
    this.#scoring = scoring;
  }

  get faults(): FaultLog {
    return this.#scoring.faults;
  }
  get isRehearsal(): boolean {
    return this.#scoring.isRehearsal;
  }

  /** Rewards that the run learns from. */
  get own(): readonly PlacedReward[] {
    return this.#lists.rewards.map((reward, at) => ({ ...reward, where: `rewards.${at}` }));
  }
  /** Rewards that an evaluation records and nothing learns from; their weights are 0. */
  get recorded(): readonly PlacedReward[] {
    return recordedOf(this.#lists);
  }

  /** Opens scorers anew, with what the run's own were opened with. */
  open(rewards: readonly PlacedReward[], world: TaskData['world']): Promise<Stack> {
    return openScorers(rewards, world, this.#scoring);
  }

  /**
   * Scorers that say what the run climbs now: what its own have learned of batches so far. Their scoring
   * teaches them nothing, however it is divided into portions.
   */
  asLearned(fresh: Stack): Stack {
    const learned = this.stack.state();
    return {
      ...fresh,
      score: (rows) => {
        fresh.restore(learned);
        return fresh.score(rows);
      },
    };
  }
}

/** Opens what a run learns from. `prompts`: what its scorers will be asked about, as far as that is known. */
export const openRewards = async (
  lists: Lists,
  world: TaskData['world'],
  scoring: Scoring,
  prompts: readonly string[],
): Promise<Rewards> => new Rewards(await openScorers(lists.rewards, world, scoring, prompts), lists, scoring);

/**
 * Opens the scorers that are only recorded once, on a device that keeps nothing, so that one that cannot be
 * opened is refused before the first step and not at the first evaluation.
 */
export const checkRecorded = async (
  lists: Lists,
  { evaluationWorld, heldout }: TaskData,
  scoring: Scoring,
): Promise<void> => {
  const recorded = recordedOf(lists);
  if (recorded.length === 0) return;
  const device = new Device({ id: scoring.device.id, tally: new Tally() });
  const prompts = heldout.problems.map(({ prompt }) => prompt);
  await openScorers(recorded, evaluationWorld, { ...scoring, device }, prompts);
};

/** `prompts`: what the scorers will be asked about, which their models must be able to read. */
const openScorers = async (
  rewards: readonly PlacedReward[],
  world: TaskData['world'],
  { device, resources, faults, isRehearsal, initial }: Scoring,
  prompts: readonly string[] = [],
): Promise<Stack> => {
  const accept = (checkpointId: string, scorer: TextScorer): void =>
    checkPrompts(checkpointId, scorer, prompts);
  const asked = initial && isRehearsal ? spelling(initial) : initial;
  const context: RewardContext = {
    report: faults.report,
    rehearsal: isRehearsal,
    reference: true,
    ...(asked && { initial: asked }),
    ...(world && { world }),
    checkpoint: checkpointOpener(device, resources, openTextScorer, accept),
    policy: checkpointOpener(device, resources, openLikelihood, accept),
  };
  const stack = await openStack(rewards, context);
  return isRehearsal ? { ...stack, score: (rows) => stack.score(spelledAsPrompts(rows)) } : stack;
};

/** Made-up answers in characters of their prompts, which every scorer can read. */
const spelling = (initial: InitialModel): InitialModel => ({
  ...initial,
  answers: async (...given) => spelledAsPrompts(await initial.answers(...given)),
});
