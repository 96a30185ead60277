import type { RunSpec } from '../../../engine/schema/run-spec.ts';

/** Updates of the policy on what was found. */
const STEPS = 600;

/** True if the failures can be trained on: the probed policy is a model of this workspace. */
export const canProbeAgain = (spec: RunSpec | null): spec is RunSpec =>
  spec?.method.id === 'ert' && spec.models.policy.kind === 'checkpoint';

/**
 * A plan: the probe as it was, since a plan reads the answers of its own runs and the same specification
 * gives the same ones; ordinary answers, which keep the policy as it was there; the policy, which learns the
 * right answers to the instructions that failed; and a new probe of it.
 */
export function againPlan(spec: RunSpec, name: string) {
  const { models, task, sampling, optimizer, rewards, seed } = spec;
  return {
    name: `Train after ${name}`.slice(0, 120),
    summary:
      'The probe once more, the policy trained on the instructions that failed, and a new probe of it.',
    nodes: [
      { id: 'probe', spec },
      {
        id: 'ordinary',
        spec: {
          method: { id: 'sample', params: { groupSize: 1 } },
          models,
          task,
          rewards,
          sampling,
          budget: { steps: 1, batch: 400 },
          evaluation: { problems: 0 },
          seed,
        },
      },
      {
        id: 'learn',
        spec: {
          method: { id: 'sft' },
          models,
          task: {
            kind: 'run',
            answers: ['probe', 'ordinary'],
            operators: [
              { id: 'right-answer', params: { from: ['probe'], only: 'wrong' } },
              { id: 'correct' },
              { id: 'distinct' },
            ],
            heldout: 0.05,
          },
          optimizer: { learningRate: optimizer.learningRate, schedule: 'linear' },
          sampling,
          budget: { steps: STEPS, batch: 32 },
          evaluation: { problems: 100, samples: 1 },
        },
      },
      {
        id: 'again',
        spec: {
          ...spec,
          seed: seed + 1,
          models: { ...models, policy: { kind: 'checkpoint', checkpointId: { node: 'learn' } } },
        },
      },
    ],
  };
}
