import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import type { Probe } from './gallery.svelte.ts';

/** Updates of the policy on what was found. */
const STEPS = 600;

/** Why the failures of a probe cannot be trained on; null if they can. */
export function whyNotAgain({ run, found }: Probe): string | null {
  if (run.spec?.models.policy.kind === 'new')
    return 'The probed policy has random weights: probe a checkpoint or an added model.';
  if (!found.tellsRight)
    return 'Only worlds with wordings of their own tell what is right for each instruction.';
  if (run.state !== 'done') return 'All rounds must have ended.';
  return found.failed === 0 ? 'No instruction failed.' : null;
}

/**
 * A plan: the probe as it was, since a plan reads the answers of its own runs and the same specification
 * gives the same ones; ordinary answers, which keep the policy as it was there; the policy, which learns the
 * right answers to the instructions that failed; and a new probe of it.
 */
export function againPlan(spec: RunSpec, name: string) {
  const { models, task, sampling, optimizer, rewards, seed } = spec;
  const world = task.kind === 'world' ? { id: task.id, params: task.params } : null;
  // the suggested rate for an added model is far below that of a model trained here
  const rate = models.policy.kind === 'model' ? {} : { learningRate: optimizer.learningRate };
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
          optimizer: { ...rate, schedule: 'linear' },
          sampling,
          budget: { steps: STEPS, batch: 32 },
          evaluation: { problems: 100, samples: 1, ...(world && { world }) },
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
