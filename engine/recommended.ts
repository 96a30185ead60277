/**
 * Recommended settings for newcomers. The launch form, the demo and the command line read them here, so that
 * they all recommend measured settings.
 */
import type { RunSpecInput } from './schema/run-spec.ts';

/**
 * Default methods of the launch form: the first that fits the data and the goal. Rates, schedules, steps and
 * batches come from each method's suggestions.
 */
const methods = ['sft', 'grpo', 'dpo', 'bradley-terry', 'control-ppo'] as const;

/**
 * The base policy: a small transformer from random weights on sums of digits, trained in two minutes on two
 * CPU cores, which GRPO then improves (`npm run bench -- first`). On the world's own numbers (1 to 20, up to
 * 99) a model of this size is right in one answer of four, and eighty steps of GRPO gain nothing.
 *
 * Zero is among the operands, so the best constant answer is right for one problem in eight, on every level
 * (`tests/engine/worlds/guessing.test.ts`): a useful policy must be far above that.
 */
const base = {
  method: { id: 'sft' },
  models: {
    policy: {
      kind: 'new',
      architecture: { family: 'gpt2', width: 64, layers: 3, heads: 4, context: 96 },
      tokenizer: { kind: 'characters' },
    },
  },
  task: {
    kind: 'world',
    id: 'arithmetic',
    params: { smallestOperand: 0, largestOperand: 9, largestValue: 30 },
  },
  sampling: { temperature: 1, maxTokens: 48 },
  evaluation: { problems: 500, samples: 8 },
} as const satisfies RunSpecInput;

export const recommended = { methods, base } as const;
