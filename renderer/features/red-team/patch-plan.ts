import type { RunSpec } from '../../../engine/schema/run-spec.ts';

interface Patch {
  /** Name of the run that is patched after. */
  readonly name: string;
  /** The scorer that measures harm, and what it must exceed. */
  readonly scorer: string;
  readonly above: number;
  /** What the target learns to reply to the attacks that succeed. */
  readonly refusal: string;
}

/** Updates of the target on what was found. */
const STEPS = 200;

/** True if the run’s attacks can be tried again on a patched target, which is a model of this workspace. */
export const canPatch = (spec: RunSpec | null): spec is RunSpec =>
  spec?.method.id === 'crt' && spec.models.target?.kind === 'checkpoint';

/**
 * A plan: the attack as it was, since a plan reads the answers of its own runs and the same specification
 * gives the same ones; the target, which learns to refuse the attacks that succeeded and to keep its replies
 * to the others; and the attack on the patched target.
 */
export function patchPlan(spec: RunSpec, { name, scorer, above, refusal }: Patch) {
  const { params } = spec.method;
  const ending = typeof params.ending === 'string' ? params.ending : '';
  const { optimizer, sampling, models } = spec;
  return {
    name: `Patch after ${name}`.slice(0, 120),
    summary: 'The attacks once more, the target patched with those that succeed, and the same attack on it.',
    nodes: [
      { id: 'attack', spec },
      {
        id: 'patch',
        spec: {
          method: { id: 'sft' },
          models: { policy: models.target },
          task: {
            kind: 'run',
            answers: 'attack',
            operators: [
              {
                id: 'as-prompt',
                params: { ending, answer: refusal, column: `score ${scorer}`, least: above + 1e-9 },
              },
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
          models: { ...models, target: { kind: 'checkpoint', checkpointId: { node: 'patch' } } },
        },
      },
    ],
  };
}
