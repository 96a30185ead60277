import { jsonLines } from './encodings/json.ts';
import { isTranscript, promptMessages } from './prompt-messages.ts';
import { decided, referenceColumn } from './ranked.ts';
import type { Writer } from './writer.ts';

/** A prompt as a transcript up to the assistant's turn; null if it holds a message of another role. */
const transcriptOf = (prompt: string): string | null => {
  if (isTranscript(prompt)) return `\n\n${prompt.trim()}`;
  const messages = promptMessages(prompt);
  const isHeld = messages.every(
    ({ role, content }, i) => role === (i % 2 === 0 ? 'user' : 'assistant') && !hasTurn(content),
  );
  if (!isHeld || messages.length % 2 === 0) return null;
  const turns = messages.map(
    ({ role, content }) => `\n\n${role === 'user' ? 'Human' : 'Assistant'}: ${content}`,
  );
  return `${turns.join('')}\n\nAssistant:`;
};

/** True if a text would be read as several turns. */
const hasTurn = (text: string): boolean => /(?:^|\n\n)(?:Human|Assistant):/.test(text);

/** Transcripts of Anthropic's HH-RLHF: "\n\nHuman: …\n\nAssistant: …", the answer as the last turn. */
export const hhRlhf: Writer = {
  id: 'hh-rlhf',
  title: 'HH-RLHF transcripts',
  extension: '.jsonl',
  cannotHold: 'System messages have no place, and who wrote each answer is left out.',
  encoding: jsonLines,
  fromPair: decided(({ prompt, chosen, rejected, reference, about }) => {
    const before = transcriptOf(prompt);
    if (before === null) return { leftOut: 'pairs whose prompt is no alternation of human and assistant' };
    if (/\n\nHuman:/.test(`${chosen}\n${rejected}`)) return { leftOut: 'pairs with a turn inside an answer' };
    return {
      chosen: `${before} ${chosen}`,
      rejected: `${before} ${rejected}`,
      ...referenceColumn(reference),
      ...about,
    };
  }),
};
