/**
 * Worlds that answer back: the model writes a turn, the world replies or says that it is over. Everything is
 * a function of prompt and turns.
 */
import { joinTranscript, splitTranscript } from '../common/transcript.ts';

/**
 * What a world says to the turns so far. It is over when the problem is solved, when nothing can come of it
 * any more, or when turns are spent.
 */
export type TurnOutcome = { readonly reply: string } | { readonly done: true };
export interface Turns {
  /** Most turns of an answer. */
  readonly limit: number;
  /** Never throws; to a prompt that is none of this world's it says that it is over. */
  next(prompt: string, turns: readonly string[]): TurnOutcome;
}

/**
 * The turns of a transcript if the world has replied to them as it says, and has gone on as long as it would;
 * else null.
 */
export const replayed = (
  { limit, next }: Turns,
  prompt: string,
  completion: string,
): readonly string[] | null => {
  const { turns, replies } = splitTranscript(completion);
  if (turns.length > limit) return null;
  const honest = replies.every((reply, i) => {
    const outcome = next(prompt, turns.slice(0, i + 1));
    return 'reply' in outcome && outcome.reply === reply;
  });
  return honest ? turns : null;
};

/**
 * The transcript of somebody who writes `turn` after seeing the replies so far, until it is over or they have
 * no more to say.
 */
export const played = (
  { limit, next }: Turns,
  prompt: string,
  turn: (replies: readonly string[]) => string | null,
): string => {
  const turns: string[] = [];
  const replies: string[] = [];
  for (;;) {
    const written = turn(replies);
    if (written === null)
      return joinTranscript({ turns, replies: replies.slice(0, Math.max(0, turns.length - 1)) });
    turns.push(written);
    const outcome: TurnOutcome = turns.length < limit ? next(prompt, turns) : { done: true };
    if ('done' in outcome) return joinTranscript({ turns, replies });
    replies.push(outcome.reply);
  }
};
