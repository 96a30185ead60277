/**
 * An answer of several turns as text: what the model wrote, and between two of its turns what the world
 * replied, in marks: `find(pen)⟦7⟧answer 7`. Wherever an answer becomes tokens, a reply is read and never
 * trained.
 */
export const REPLY_BEGINS = '⟦';
export const REPLY_ENDS = '⟧';

const REPLY = /⟦([^⟦⟧]*)⟧/;

/** A reply as it stands in a transcript. */
export const marked = (reply: string): string => `${REPLY_BEGINS}${reply}${REPLY_ENDS}`;

/** What the model writes in place of a mark: it cannot speak for the world. */
export const unmarked = (turn: string): string => turn.replaceAll(/[⟦⟧]/g, '\ufffd');

/** There is one turn more than replies. A text without marks is one turn. */
export interface Transcript {
  readonly turns: readonly string[];
  readonly replies: readonly string[];
}

export const splitTranscript = (text: string): Transcript => {
  const parts = text.split(REPLY);
  return { turns: parts.filter((_, i) => i % 2 === 0), replies: parts.filter((_, i) => i % 2 === 1) };
};

export const joinTranscript = ({ turns, replies }: Transcript): string =>
  turns.map((turn, i) => (i < replies.length ? turn + marked(replies[i]) : turn)).join('');
