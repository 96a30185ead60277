/** The scorers of a run: those that it learns from, and those of its evaluation. */
import type { OpenFolder } from '../../models/checkpoint.ts';
import type { InitialModel, RewardContext, TextScorer } from '../../rewards/index.ts';
import { composedStack } from '../../rewards/composers/composed-stack.ts';
import { openStack, type PlacedReward, type Stack } from '../../rewards/stack.ts';
import { Device, Tally } from '../../runtime/index.ts';
import type { BaseRef, Resources } from '../../schema/messages.ts';
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

/** Common arguments of a run's scorers. */
export interface Scoring {
  readonly device: Device;
  readonly resources: Resources;
  /** Opens the folders of models that score. */
  readonly open?: OpenFolder;
  /** Log of answers that a scorer could not score. */
  readonly faults: FaultLog;
  /** True if this is a rehearsal with made-up answers. */
  readonly isRehearsal: boolean;
  /** The run's initial model, if it writes text. */
  readonly initial?: InitialModel;
}

type Lists = Pick<RunSpec, 'rewards' | 'composer' | 'evaluation' | 'roles'>;

/** Rewards recorded at evaluation only, with their paths in the specification. */
const recordedOf = ({ evaluation }: Lists): PlacedReward[] =>
  evaluation.rewards.map((reward, at) => ({ ...reward, weight: 0, where: `evaluation.rewards.${at}` }));

export class Rewards {
  /** Scorers of the training rows. */
  readonly stack: Stack;
  readonly #lists: Lists;
  readonly #scoring: Scoring;
  /** Stacks of roles that have their own. */
  readonly #byRole: ReadonlyMap<string, Stack>;

  constructor(stack: Stack, lists: Lists, scoring: Scoring, byRole: ReadonlyMap<string, Stack> = new Map()) {
    this.stack = stack;
    this.#lists = lists;
    this.#scoring = scoring;
    this.#byRole = byRole;
  }

  /** A role's own scorers; undefined for a role that uses the run's. */
  ownOf(role: string): Stack | undefined {
    return this.#byRole.get(role);
  }

  /** States of all stacks, by scorer; those of roles by `<role>/<scorer>`. */
  state(): { readonly [scorer: string]: unknown } {
    const own = [...this.#byRole].flatMap(([role, stack]) =>
      Object.entries(stack.state()).map(([scorer, state]) => [`${role}/${scorer}`, state] as const),
    );
    return { ...this.stack.state(), ...Object.fromEntries(own) };
  }

  restore(saved: { readonly [scorer: string]: unknown }): void {
    this.stack.restore(saved);
    for (const [role, stack] of this.#byRole)
      stack.restore(
        Object.fromEntries(
          Object.entries(saved).flatMap(([key, state]) =>
            key.startsWith(`${role}/`) ? [[key.slice(role.length + 1), state]] : [],
          ),
        ),
      );
  }

  get faults(): FaultLog {
    return this.#scoring.faults;
  }
  get isRehearsal(): boolean {
    return this.#scoring.isRehearsal;
  }

  /** Rewards of the training objective. */
  get own(): readonly PlacedReward[] {
    return this.#lists.rewards.map((reward, at) => ({ ...reward, where: `rewards.${at}` }));
  }
  /** Rewards recorded at evaluation only; their weights are 0. */
  get recorded(): readonly PlacedReward[] {
    return recordedOf(this.#lists);
  }

  /** Opens more scorers with the same arguments as the run's own. */
  open(rewards: readonly PlacedReward[], world: TaskData['world']): Promise<Stack> {
    return openScorers(rewards, world, this.#scoring);
  }

  /**
   * Scorers that share what the run's own have learned of past batches, with the run's total. Their scoring
   * changes no state, however it is split into portions.
   */
  asLearned(scorers: Stack): Stack {
    const learned = this.stack.state();
    const fresh = composedStack(scorers, this.#lists);
    return {
      ...fresh,
      score: (rows) => {
        fresh.restore(learned);
        return fresh.score(rows);
      },
    };
  }
}

/** Opens the run's scorers. `prompts`: the prompts to be scored, as far as they are known. */
export const openRewards = async (
  lists: Lists,
  world: TaskData['world'],
  scoring: Scoring,
  prompts: readonly string[],
): Promise<Rewards> => {
  const stack = composedStack(await openScorers(lists.rewards, world, scoring, prompts), lists);
  const byRole = new Map<string, Stack>();
  for (const [role, { rewards }] of Object.entries(lists.roles ?? {})) {
    const placed = rewards?.map((reward, at) => ({ ...reward, where: `roles.${role}.rewards.${at}` }));
    if (placed) byRole.set(role, await openScorers(placed, world, scoring, prompts));
  }
  return new Rewards(stack, lists, scoring, byRole);
};

/**
 * Opens the recorded scorers once, on a device that keeps nothing, so that an error appears before the first
 * step and not at the first evaluation.
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

/** `prompts`: the prompts to be scored, which model scorers must be able to read. */
const openScorers = async (
  rewards: readonly PlacedReward[],
  world: TaskData['world'],
  { device, resources, open, faults, isRehearsal, initial }: Scoring,
  prompts: readonly string[] = [],
): Promise<Stack> => {
  const accept = (checkpointId: string, scorer: TextScorer): void =>
    checkPrompts(checkpointId, scorer, prompts);
  const by =
    <S>(scorer: (...given: [Device, string, BaseRef?, OpenFolder?]) => Promise<S>) =>
    (on: Device, folder: string, base?: BaseRef) =>
      scorer(on, folder, base, open);
  const forRewards = initial && isRehearsal ? spelling(initial) : initial;
  const context: RewardContext = {
    report: faults.report,
    rehearsal: isRehearsal,
    reference: true,
    ...(forRewards && { initial: forRewards }),
    ...(world && { world }),
    checkpoint: checkpointOpener(device, resources, by(openTextScorer), accept),
    policy: checkpointOpener(device, resources, by(openLikelihood), accept),
  };
  const stack = await openStack(rewards, context);
  return isRehearsal ? { ...stack, score: (rows, at) => stack.score(spelledAsPrompts(rows), at) } : stack;
};

/** Made-up answers in the characters of their prompts, which every scorer can tokenize. */
const spelling = (initial: InitialModel): InitialModel => ({
  ...initial,
  answers: async (...given) => spelledAsPrompts(await initial.answers(...given)),
});
