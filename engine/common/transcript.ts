/**
 * A multi-turn answer as text: the model's turns, with the world's replies in marks between them:
 * `find(pen)⟦7⟧answer 7`. The model reads the tokens of a reply and is never trained on them.
 */
export const REPLY_BEGINS = '⟦';
export const REPLY_ENDS = '⟧';

const REPLY = /⟦([^⟦⟧]*)⟧/;

/** A reply in the marks of a transcript. */
export const marked = (reply: string): string => `${REPLY_BEGINS}${reply}${REPLY_ENDS}`;

/** Replaces marks in the model's text, so that it cannot forge a reply. */
export const unmarked = (turn: string): string => turn.replaceAll(/[⟦⟧]/g, '\ufffd');

/** There is one more turn than replies. A text without marks is one turn. */
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
