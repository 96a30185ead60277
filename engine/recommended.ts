/**
 * Where the app tells a newcomer to begin. The launch form, the demo and the command line read it here, so
 * that none of them can recommend what another has not measured.
 */
import type { RunSpecInput } from './schema/run-spec.ts';

/**
 * Methods that a form begins with, the first that fits what is learned from and what is wanted. What they
 * need beside it (rates, schedules, steps, batches) is what each of them suggests.
 */
const methods = ['sft', 'grpo', 'dpo', 'bradley-terry'] as const;

/**
 * The base policy: a small transformer from random weights on sums of digits, learned in two minutes on two
 * CPU cores, that GRPO then makes better (`npm run bench -- first`). On the world's own numbers (1 to 20, up
 * to 99) a model of this size is right in one answer of four, and eighty steps of GRPO gain nothing.
 *
 * Zero is among the operands, so the same answer every time is right for one problem in eight, on every level
 * (`tests/engine/worlds/guessing.test.ts`): every policy that is worth keeping must be far above that.
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
