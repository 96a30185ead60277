import type { Message } from '../shapes/messages.ts';

const roleMark = /(?:^|\n\n)(system|user|assistant|tool): /g;
const turnMark = /(?:^|\n\n)(Human|Assistant): ?/g;

const partsOf = (text: string, marks: RegExp): { readonly name: string; readonly content: string }[] => {
  const found = [...text.matchAll(marks)];
  if (found.length === 0 || found[0].index !== 0) return [];
  return found.map((match, i) => ({
    name: match[1],
    content: text.slice(match.index + match[0].length, found.at(i + 1)?.index),
  }));
};

/** True if a prompt is a transcript in HH-RLHF's form, which ends where the assistant answers. */
export const isTranscript = (prompt: string): boolean => /^\s*Human:[^]*\n\nAssistant:\s*$/.test(prompt);

/**
 * The messages of a prompt: of a conversation that was written as one text (each message under its role), or
 * of a transcript; else one message of the user.
 */
export const promptMessages = (prompt: string): readonly Message[] => {
  if (isTranscript(prompt)) {
    const turns = partsOf(prompt.trim(), turnMark).slice(0, -1);
    return turns.map(({ name, content }) => ({ role: name === 'Human' ? 'user' : 'assistant', content }));
  }
  const parts = partsOf(prompt, roleMark);
  const isConversation = parts.length > 1 || (parts.length === 1 && parts[0].name !== 'user');
  return isConversation
    ? parts.map(({ name, content }) => ({ role: name, content }))
    : [{ role: 'user', content: prompt }];
};
