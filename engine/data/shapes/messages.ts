import { isObject, kindOf } from '../formats/record.ts';
import { BadRecord, type RecordOf } from './shape.ts';

export interface Message { readonly role: string; readonly content: string }

/** A conversation in a column. */
export const messagesOf = (record: RecordOf, column: string): readonly Message[] => {
  const value = record[column];
  if (!Array.isArray(value)) throw new BadRecord(`has ${kindOf(value)} in "${column}" where a list of messages is needed`);
  return value.map((message: unknown, i) => {
    if (!isObject(message) || typeof message.role !== 'string' || typeof message.content !== 'string') {
      throw new BadRecord(`has in "${column}" a message (number ${i + 1}) without the texts "role" and "content"`);
    }
    return { role: message.role, content: message.content };
  });
};

/** A conversation as one text: a lone user message as it stands, else each message under its role. */
export const conversationText = (messages: readonly Message[]): string =>
  messages.length === 1 && messages[0].role === 'user' ? messages[0].content : messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
