/** The documents of an answer that searches, and how the agent judged them. */
import { splitTranscript } from './transcript.ts';

/** A document: the reply to a search. */
export interface Judgement {
  /** The turn that searched, from 0. */
  readonly turn: number;
  readonly document: string;
  /** True if the document is about what the prompt asks for. */
  readonly isUseful: boolean;
  /** The agent's judgement in the next turn; null if that turn judges nothing. */
  readonly kept: boolean | null;
}

/** Words of three or more characters: shorter ones say nothing about the subject. */
const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[\p{L}\p{N}]{3,}/gu) ?? [];

/**
 * The judged documents of a transcript: a turn `keep` or `drop` judges the reply before it. A document is
 * useful if it contains every word of the prompt with three or more characters. Replies after a judgement
 * are no documents.
 */
export const judgementOf = (prompt: string, completion: string): readonly Judgement[] => {
  const { turns, replies } = splitTranscript(completion);
  const asked = wordsOf(prompt);
  return replies.flatMap((document, turn): Judgement[] => {
    if (/^(?:keep|drop)$/.test(turns[turn])) return [];
    const words = new Set(wordsOf(document));
    const [, judged] = /^(keep|drop)$/.exec(turns[turn + 1]) ?? [];
    return [
      {
        turn,
        document,
        isUseful: asked.every((word) => words.has(word)),
        kept: judged === undefined ? null : judged === 'keep',
      },
    ];
  });
};
