import type { PlanPreset } from './preset.ts';

/** Each run draws as many stored steps for an update, whatever the rule. */
const shared = { copies: 4, drawn: 256, capacity: 5000, averaging: 0.98, gamma: 0.95 };
const acting = {
  models: { policy: { kind: 'network', hidden: [64, 64] } },
  task: { kind: 'control', id: 'control/pendulum' },
  optimizer: { learningRate: 2e-3 },
};

const LOGGING = 400;
/** Updates on logged steps alone; then twice as many while it acts. */
const OFFLINE = 250;

/** Learns from logged steps, half of them at random, then acts as well; `how` weighs the stored steps. */
const learner = (id: string, how: object) => ({
  id,
  spec: {
    ...acting,
    method: {
      id: 'sac-replay',
      params: { ...shared, ...how, warmup: 500, logged: 0.5, offline: OFFLINE },
    },
    models: { ...acting.models, behavior: { kind: 'checkpoint', checkpointId: { node: 'logged' } } },
    budget: { steps: 3 * OFFLINE, batch: 4 },
    evaluation: { problems: 20, every: 75 },
    seed: 1,
  },
});

/** Li et al. 2024, arXiv:2407.03995, in about a minute. */
export const replay: PlanPreset = {
  id: 'replay',
  title: 'Replay: weights of regularized RL (ROER)',
  summary:
    'A pendulum that swings up logs its steps; the same learner then begins with these, and weighs stored steps ' +
    'alike, by their errors, and by regularized RL. “sharp” lets few steps count for many.',
  sample: {
    title: 'Replay',
    about:
      'A learner replays logged steps, weighed alike, by errors or by regularized RL. Its Results show how many count. ' +
      'Half a minute.',
  },
  plan: {
    name: 'Replay',
    summary: 'arXiv:2407.03995 against uniform and prioritized replay, from logged steps on.',
    nodes: [
      {
        id: 'logged',
        spec: {
          ...acting,
          method: { id: 'sac-replay', params: { ...shared, replay: 'uniform', warmup: 100 } },
          budget: { steps: LOGGING, batch: 4 },
          evaluation: { problems: 20, every: 200 },
        },
      },
      learner('uniform', { replay: 'uniform' }),
      learner('prioritized', { replay: 'prioritized' }),
      learner('regularized', { replay: 'regularized', beta: 1, rate: 0.03 }),
      learner('sharp', { replay: 'regularized', beta: 0.3, rate: 0.5, bound: 1000 }),
    ],
  },
};
