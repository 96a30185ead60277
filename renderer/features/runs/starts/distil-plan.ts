import { isVerifier } from '../../../../engine/common/verifiers.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import type { Checkpoint, Run } from '../../../../preload/contract/runs.ts';

/** The numbers of a second round. */
export interface SecondRound {
  /** Prompts that the trained policy answers, and its answers to each. */
  readonly prompts: number;
  readonly answers: number;
  /** Of the prompts that it solves the share that it solves least often. */
  readonly share: number;
  /** Passes over its right answers to these, and their learning rate. */
  readonly passes: number;
  readonly learningRate: number;
  /** Updates of PPO without restarts, and the temperature of its answers. */
  readonly steps: number;
  readonly temperature: number;
  /** Its answers to each prompt; an update has about as many answers as those of the run, to fewer prompts. */
  readonly groupSize: number;
  /** True: the trained policy goes on for as many updates, as a comparison. */
  readonly withControl: boolean;
}

/** The suggested learning rate of fine-tuning over that of PPO, about. */
const FASTER = 8;

/**
 * Eight answers to each prompt to distil from, and PPO at temperature 1.2 with eight answers to each prompt
 * (arXiv:2502.02508, second round). The rest are the run’s own.
 */
export const secondRoundOf = (spec: RunSpec): SecondRound => ({
  prompts: 4 * answersOf(spec),
  answers: 8,
  share: 0.5,
  passes: 2,
  learningRate: FASTER * spec.optimizer.learningRate,
  steps: spec.budget.steps,
  temperature: 1.2,
  groupSize: Math.min(8, answersOf(spec)),
  withControl: false,
});

/** Most prompts of an update. */
const MOST_PROMPTS = 4096;

/** Answers in an update of a run of Satori. */
const answersOf = ({ method: { params }, budget }: RunSpec): number =>
  budget.batch * (typeof params.groupSize === 'number' ? params.groupSize : 1);

/** Prompts of an update with so many answers to each, and about as many answers. */
const promptsOf = (spec: RunSpec, groupSize: number): number =>
  Math.min(MOST_PROMPTS, Math.max(1, Math.round(answersOf(spec) / groupSize)));

/** Scorers whose verdicts tell right answers; those of a world come with it. */
const verifiersOf = ({ task, rewards }: RunSpec): RunSpec['rewards'] => {
  const own = rewards.filter(({ id }) => isVerifier(id));
  return own.length === 0 && task.kind === 'world' ? [{ id: 'verifier', weight: 1, params: {} }] : own;
};

/** Why a run of Satori has no second round; null if it has one. */
export function noSecondRound(
  { state, spec }: Pick<Run, 'state' | 'spec'>,
  trained: Pick<Checkpoint, 'id'> | undefined,
): string | null {
  if (state !== 'done') return 'Once the run has ended.';
  if (spec === null) return 'The stored configuration of the run cannot be read.';
  if (spec.models.policy.kind === 'new')
    return 'The run began from random weights: there is no base to distil into.';
  if (!trained) return 'The trained policy is gone: its last checkpoint was deleted.';
  if (verifiersOf(spec).length === 0) return 'No reward of the run says which answers are right.';
  return null;
}

/** The world of a run as the one of an evaluation, where rows of a dataset are trained on. */
const worldOf = ({ task, evaluation }: RunSpec): RunSpec['evaluation']['world'] =>
  evaluation.world ?? (task.kind === 'world' ? { id: task.id, params: task.params } : null);

/** Its base learns its right answers to hard prompts: supervised fine-tuning. */
function distils(spec: RunSpec, { share, passes, learningRate }: SecondRound) {
  const { models, adapter, sampling, evaluation, evaluations = [], seed, device } = spec;
  const world = worldOf(spec);
  // passes give the steps
  const { steps, ...own } = spec.budget;
  void steps;
  const budget = { ...own, batch: Math.min(MOST_PROMPTS, answersOf(spec)) };
  const further = evaluations.filter(({ role, ...each }) => role === undefined && each.world);
  return {
    id: 'distil',
    passes,
    spec: {
      method: { id: 'sft' },
      models: { policy: models.policy },
      adapter,
      task: {
        kind: 'run',
        answers: 'answers',
        operators: [{ id: 'hardest', params: { share } }, { id: 'correct' }, { id: 'distinct' }],
        heldout: 0,
      },
      sampling,
      optimizer: { learningRate, schedule: 'linear' },
      budget,
      evaluation: world ? { ...evaluation, every: 0, world } : { problems: 0 },
      ...(further.length > 0 && { evaluations: further }),
      seed,
      device,
    },
  };
}

/**
 * A plan after a run of Satori (Shen et al. 2025, arXiv:2502.02508, second round): the trained policy answers
 * prompts; its right answers to the hardest ones are distilled into the base that the run began from, which resets
 * its parameters; PPO goes on from there without restarts.
 */
export function distilPlan(spec: RunSpec, name: string, trained: string, round: SecondRound): object {
  const { models, adapter, task, sampling, budget, seed, device } = spec;
  const batch = Math.min(budget.batch, round.prompts);
  const learned = { kind: 'checkpoint', checkpointId: trained };
  const { groupSize } = round;
  const learns = (id: string, policy: object) => ({
    id,
    spec: {
      ...spec,
      name: '',
      method: { ...spec.method, params: { ...spec.method.params, groupSize, good: 0, bad: 0 } },
      models: { ...models, policy },
      sampling: { ...sampling, temperature: round.temperature },
      budget: { ...budget, steps: round.steps, batch: promptsOf(spec, groupSize) },
    },
  });
  const nodes = [
    {
      id: 'answers',
      spec: {
        method: { id: 'sample', params: { groupSize: round.answers } },
        models: { policy: learned },
        adapter,
        task,
        rewards: verifiersOf(spec),
        sampling,
        budget: { ...budget, steps: Math.ceil(round.prompts / batch), batch },
        evaluation: { problems: 0 },
        // prompts that the run did not begin with
        seed: (seed + 1) % 2 ** 32,
        device,
      },
    },
    distils(spec, round),
    learns('again', { kind: 'checkpoint', checkpointId: { node: 'distil' } }),
    ...(round.withControl ? [learns('on', learned)] : []),
  ];
  return {
    name: `Distil and restart after ${name}`.slice(0, 120),
    summary:
      'arXiv:2502.02508, second round: right answers to hard prompts into the base, and PPO without restarts.',
    nodes,
  };
}
