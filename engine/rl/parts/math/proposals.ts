/** Problems that a model writes in its answers. */
import type { Problem } from '../../kernel/columns.ts';

/**
 * How an answer holds a problem: behind the last `mark`, so that what stands before it stays hidden, or all
 * of it without a mark; and what is put behind it to make it a prompt.
 */
export interface Proposals {
  readonly mark: string;
  readonly ending: string;
}

/** The problem that an answer proposes, as a prompt. */
export const proposalOf = (completion: string, { mark, ending }: Proposals): string => {
  const hidden = mark === '' ? -1 : completion.lastIndexOf(mark);
  return completion.slice(hidden < 0 ? 0 : hidden + mark.length) + ending;
};

/** The proposed problem. It keeps the id and the expected answer of the one that it was made from. */
export const proposedProblem = (from: Problem, completion: string, how: Proposals): Problem => {
  const { promptId, reference } = from;
  return { promptId, reference, prompt: proposalOf(completion, how) };
};
