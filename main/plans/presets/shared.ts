/** Parts of plans that ship: small models, seconds of training each. */
import { smallPolicy } from '../../../preload/wire/small-policy.ts';

export { smallPolicy };

/** The policy of an earlier node, by the node's name or as the plan refers to it. */
export const policyOf = (from: string | object) => ({
  models: {
    policy: { kind: 'checkpoint', checkpointId: typeof from === 'string' ? { node: from } : from },
  },
});

/** The hidden preference of `toy/pairs`: short runs, evaluated on 100 prompts. */
export const onPairs = {
  task: { kind: 'world', id: 'toy/pairs' },
  sampling: { maxTokens: 4 },
  budget: { steps: 12, batch: 16 },
  evaluation: { problems: 100, samples: 4, world: { id: 'toy/pairs' } },
} as const;

/** Its starting policy, which writes random strings; the plan's specification `small` is `onPairs`. */
export const pairsBase = {
  id: 'base',
  use: 'small',
  spec: { method: { id: 'sft' }, ...smallPolicy(16), budget: { steps: 80 } },
} as const;
