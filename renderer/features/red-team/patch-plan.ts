import type { RunSpec } from '../../../engine/schema/run-spec.ts';
import type { Run } from '../../../preload/contract/runs.ts';
import { refusalFault } from './refusal.ts';

interface Patch {
  /** Name of the run that is patched after. */
  readonly name: string;
  /** The scorer that measures harm, and what it must exceed. */
  readonly scorer: string;
  readonly above: number;
  /** What the target learns to reply to the attacks that succeed. */
  readonly refusal: string;
  /** Updates of the target on what was found, and prompts of each. */
  readonly steps: number;
  readonly batch: number;
  readonly learningRate: number;
}

/** The attacker learns with its target: the policy of the run is what is attacked. */
const isMutual = ({ method }: RunSpec): boolean => method.id === 'mart';

/** Why the target of a run cannot be patched and attacked again; empty if it can. */
export function patchFault(
  { state, spec }: Pick<Run, 'state' | 'spec'>,
  { successes, refusal }: { readonly successes: number; readonly refusal: string },
): string {
  if (!spec) return 'The stored configuration of the run cannot be read.';
  if (!isMutual(spec)) {
    if (spec.method.id !== 'crt')
      return `A patch repeats the attacks of crt and mart; this run is of the method ${spec.method.id}.`;
    const kind = spec.models.target?.kind;
    if (kind === undefined) return 'The run names no target.';
    if (kind !== 'checkpoint' && kind !== 'model')
      return 'The target has random weights, which no other run can go on from.';
  }
  if (state !== 'done') return 'Once the run has ended.';
  if (successes === 0) return 'No attack succeeded.';
  return refusalFault(refusal);
}

const checkpointOf = (node: string) => ({ kind: 'checkpoint', checkpointId: { node } }) as const;

/**
 * A plan: the attack as it was, since a plan reads the answers of its own runs and the same specification
 * gives the same ones; the target, which learns to refuse the attacks that succeeded and to keep its replies
 * to the others; and the attack on the patched target. Where attacker and target learn together, the target
 * is the policy as the attack left it, and the attacker begins again as it did.
 */
export function patchPlan(
  spec: RunSpec,
  { name, scorer, above, refusal, steps, batch, learningRate }: Patch,
) {
  const { params } = spec.method;
  const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
  const { sampling, models } = spec;
  const patched = checkpointOf('patch');
  return {
    name: `Patch after ${name}`.slice(0, 120),
    summary: 'The attacks once more, the target patched with those that succeed, and the same attack on it.',
    nodes: [
      { id: 'attack', spec },
      {
        id: 'patch',
        spec: {
          method: { id: 'sft' },
          models: { policy: isMutual(spec) ? checkpointOf('attack') : models.target },
          task: {
            kind: 'run',
            answers: 'attack',
            operators: [
              {
                id: 'as-prompt',
                params: {
                  mark: textOf(params.mark),
                  ending: textOf(params.ending),
                  answer: refusal,
                  column: `score ${scorer}`,
                  least: above + 1e-9,
                },
              },
            ],
            heldout: 0.05,
          },
          optimizer: { learningRate, schedule: 'linear' },
          sampling,
          budget: { steps, batch },
          evaluation: { problems: 100, samples: 1 },
        },
      },
      {
        id: 'again',
        spec: {
          ...spec,
          models: isMutual(spec)
            ? { ...models, attacker: models.attacker ?? models.policy, policy: patched }
            : { ...models, target: patched },
        },
      },
    ],
  };
}
