/** Columns of a text that a model writes in reply to an answer. */
import type { Columns } from '../../kernel/columns.ts';

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
