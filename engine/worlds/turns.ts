/**
 * Multi-turn worlds: the model writes a turn, the world replies or ends the episode. Everything is a
 * function of prompt and turns.
 */
import { joinTranscript, splitTranscript } from '../common/transcript.ts';

/**
 * The world's response to the turns so far. The episode is over if the problem is solved, cannot be solved
 * any more, or turns are spent.
 */
export type TurnOutcome = { readonly reply: string } | { readonly done: true };
export interface Turns {
  /** Maximum number of turns in an answer. */
  readonly limit: number;
  /** Never throws; for an invalid prompt the episode is over. */
  next(prompt: string, turns: readonly string[]): TurnOutcome;
}

/**
 * The turns of a transcript if its replies match the world's and it did not continue past the end; else
 * null.
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
 * The transcript of a scripted player who writes `turn` after seeing the replies so far, until the episode
 * is over or the script ends.
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
