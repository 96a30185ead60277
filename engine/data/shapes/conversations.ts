import { roles, type Message, type Role } from '../../schema/conversation.ts';
import { conversationText, messagesOf } from './messages.ts';
import { BadRecord, isEmpty, type Fields, type Shape, type ShapedRow } from './shape.ts';

const isRole = (role: string): role is Role => (roles as readonly string[]).includes(role);

/** Messages of known roles. Throws `BadRecord` for another role. */
export const withRoles = (
  messages: readonly { readonly role: string; readonly content: string }[],
  column: string,
): Message[] =>
  messages.map(({ role, content }, i) => {
    if (isRole(role)) return { role, content };
    const which = `a message (number ${i + 1}) of the role "${role.slice(0, 40)}"`;
    throw new BadRecord(`has in "${column}" ${which}; the roles are ${roles.join(', ')}`);
  });

/** The row of a conversation: the text before the assistant's last message, and that message. */
const conversationRow = (fields: Fields, column: string): ShapedRow => {
  const system = column === 'messages' ? [] : systemMessage(fields);
  const messages = withRoles([...system, ...messagesOf(fields, column, 'conversation')], column);
  if (messages.length === 0) throw new BadRecord(`has an empty conversation in "${column}"`);
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  if (last < 0) throw new BadRecord(`has in "${column}" no message of the assistant`);
  if (last === 0) throw new BadRecord(`has in "${column}" nothing that the assistant answers`);
  return {
    prompt: conversationText(messages.slice(0, last)),
    answer: messages[last].content,
    reference: null,
    correct: fields.mark(),
    source: 'assistant',
    messages,
  };
};

/** The system message in a column of its own, as ShareGPT's layout has it. */
export const systemMessage = (fields: Fields): readonly { role: string; content: string }[] => {
  if (isEmpty(fields.record.system)) return [];
  return [{ role: 'system', content: fields.text('system', 'system message') }];
};

/**
 * Whole conversations: TRL's conversational format for supervised fine-tuning, optionally with marks. Shown
 * as the text before the assistant's last message, and that message.
 */
export const conversations: Shape = {
  title: 'conversations',
  needs: '"messages" as a list of {"role", "content"}',
  matches: (record) => Array.isArray(record.messages) || ('messages' in record && !('prompt' in record)),
  why: ({ markColumn }) =>
    '"messages" is a conversation: one row for each. A run formats it with the model’s chat ' +
    'template and trains on the messages of the chosen roles, the assistant’s by default.' +
    (markColumn === undefined ? '' : ` "${markColumn}" says whether its last answer is right.`),
  rows: (fields) => [conversationRow(fields, 'messages')],
};

/** Whole conversations in ShareGPT's layout, as LLaMA-Factory reads them. */
export const shareGptConversations: Shape = {
  title: 'conversations (ShareGPT)',
  needs: '"conversations" as a list of {"from", "value"}',
  matches: (record) => Array.isArray(record.conversations) && !('chosen' in record),
  why: () => '"conversations" is a conversation: one row for each, as for "messages".',
  rows: (fields) => [conversationRow(fields, 'conversations')],
};
