/**
 * Parts of plans for effects: toy worlds, models of about 13 thousand parameters, seconds each.
 */

/** A small policy from random weights. */
export const smallPolicy = (context = 32, width = 32) =>
  ({
    policy: {
      kind: 'new',
      architecture: { width, layers: 1, heads: 2, context },
      tokenizer: { kind: 'characters' },
    },
  }) as const;

/** The policy of an earlier node. */
export const from = (node: string) => ({ policy: { kind: 'checkpoint', checkpointId: { node } } }) as const;

/** Supervised training of the initial policy: batches of 32 demonstrations. */
export const imitation = (steps: number, schedule: 'constant' | 'linear' = 'linear') =>
  ({
    method: { id: 'sft' },
    optimizer: { learningRate: 1e-2, beta2: 0.95, schedule },
    budget: { steps, batch: 32 },
  }) as const;

/** No evaluation: its answers would cost time. */
export const unmeasured = { problems: 0 } as const;

/**
 * Sorting three to seven digits, the answer alone: a model of this size learns it, the short ones long
 * before the long ones.
 */
export const sorting = {
  models: smallPolicy(40),
  task: {
    kind: 'world',
    id: 'sorting',
    params: { method: 'none', levels: 5, heldoutLevels: 0, wrong: 0, rambling: 0 },
  },
  sampling: { maxTokens: 16 },
} as const;
