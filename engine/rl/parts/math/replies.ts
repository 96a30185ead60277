/** Columns of a text that a model writes in reply to an answer. */
import type { Answers, Columns, ModelPort, Problem } from '../../kernel/columns.ts';
import { shownPrompts } from './written-verdicts.ts';

/**
 * What a model writes behind each text and its cue, by its own tokenizer, in one piece. `problem_R` and
 * `sample_R` key its random draws; a given beginning of the answer is in the text already.
 */
export const writtenBy = (
  model: ModelPort,
  rows: readonly { readonly shown: string; readonly cue: string }[],
  problem_R: readonly Problem[],
  sample_R: Float64Array,
): Promise<Answers> =>
  model.sample(
    shownPrompts(rows, model.text),
    problem_R.map(({ hint: _, ...problem }) => problem),
    sample_R,
    { turns: undefined },
  );

/** An answer's columns as those of a reply to it. */
export const asReply = ({
  tokens,
  mask,
  behaviorLogp,
  completion,
  ended,
}: Pick<Columns, 'tokens' | 'mask' | 'behaviorLogp' | 'completion' | 'ended'>) => ({
  'reply/tokens': tokens,
  'reply/mask': mask,
  'reply/behaviorLogp': behaviorLogp,
  'reply/completion': completion,
  'reply/ended': ended,
});

export const replyColumns = [
  'reply/tokens',
  'reply/mask',
  'reply/behaviorLogp',
  'reply/completion',
  'reply/ended',
] as const;
