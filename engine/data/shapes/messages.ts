import { isObject, kindOf } from '../formats/record.ts';
import { BadRecord, isEmpty, type Fields } from './shape.ts';

export interface Message {
  readonly role: string;
  readonly content: string;
}

const roleOf: { readonly [from: string]: string } = {
  human: 'user',
  gpt: 'assistant',
  bot: 'assistant',
  chatgpt: 'assistant',
  function_call: 'assistant',
  observation: 'tool',
};

/** A message as `{role, content}`; ShareGPT writes `{from, value}`. Undefined for anything else. */
export const messageIn = (message: unknown): Message | undefined => {
  if (!isObject(message)) return undefined;
  const [role, content] =
    'from' in message && !('role' in message)
      ? [message.from, message.value]
      : [message.role, message.content];
  if (typeof role !== 'string' || typeof content !== 'string') return undefined;
  return { role: 'from' in message && Object.hasOwn(roleOf, role) ? roleOf[role] : role, content };
};

const textFields = ['role', 'content', 'from', 'value'];

/** A conversation in a column. Further fields of its messages are kept as extra, message by message. */
export const messagesOf = (fields: Fields, column: string, as: string): readonly Message[] => {
  const value = fields.value(column, as);
  if (!Array.isArray(value))
    throw new BadRecord(`has ${kindOf(value)} in "${column}" where a list of messages is needed`);
  const messages: readonly unknown[] = value;
  const more = messages.flatMap((message) =>
    isObject(message)
      ? Object.keys(message).filter((key) => !textFields.includes(key) && !isEmpty(message[key]))
      : [],
  );
  for (const key of new Set(more)) {
    fields.keep(
      `${column}[].${key}`,
      messages.map((message) => (isObject(message) ? (message[key] ?? null) : null)),
    );
  }
  return messages.map((message, i) => {
    const read = messageIn(message);
    if (read) return read;
    throw new BadRecord(
      `has in "${column}" a message (number ${i + 1}) without the texts "role" and "content"`,
    );
  });
};

/**
 * A conversation as one text: a single message of the expected role unchanged, else each message under its
 * role.
 */
export const conversationText = (messages: readonly Message[], lone = 'user'): string =>
  messages.length === 1 && messages[0].role === lone
    ? messages[0].content
    : messages.map(({ role, content }) => `${role}: ${content}`).join('\n\n');
