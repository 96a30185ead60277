/** Specifications that show a system on a built-in world with a small new model. */
import type { RunSpecInput } from '../../schema/run-spec.ts';

interface Size {
  /** Characters of the longest answer, and of prompt and answer together. */
  readonly answer: number;
  readonly context: number;
  readonly params?: Record<string, unknown>;
}
const toy: Size = { answer: 8, context: 24 };
/** Longest answers of the worlds, and settings on which a small model learns within minutes. */
const sizes = {
  arithmetic: {
    answer: 48,
    context: 96,
    params: { smallestOperand: 0, largestOperand: 9, largestValue: 30 },
  },
  countdown: { answer: 193, context: 240 },
  program: { answer: 24, context: 80 },
  sql: { answer: 96, context: 192 },
  grid: { answer: 309, context: 352 },
  tools: { answer: 99, context: 144 },
  lookup: { answer: 160, context: 192 },
  'toy/copy': toy,
  'toy/pairs': toy,
  'toy/bandit': toy,
  'toy/triggers': toy,
  'toy/errands': { answer: 6, context: 112 },
} as const satisfies Readonly<Record<string, Size>>;

/** A method on a world with its defaults, from a small new model; `rest` replaces whole sections. */
export const runOn = (
  world: keyof typeof sizes,
  method: string,
  params: Record<string, unknown> = {},
  rest: Partial<RunSpecInput> = {},
): RunSpecInput => {
  const { answer, context, params: own = {} }: Size = sizes[world];
  return {
    method: { id: method, params },
    models: {
      policy: {
        kind: 'new',
        architecture: { family: 'gpt2', width: 64, layers: 3, heads: 4, context },
        tokenizer: { kind: 'characters' },
      },
    },
    task: { kind: 'world', id: world, params: { ...own } },
    sampling: { maxTokens: answer },
    ...rest,
  };
};
