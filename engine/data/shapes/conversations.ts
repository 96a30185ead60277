import { roles, type Message, type Role } from '../../schema/conversation.ts';
import { conversationText, messagesOf } from './messages.ts';
import { BadRecord, type Fields, type Shape } from './shape.ts';

const isRole = (role: string): role is Role => (roles as readonly string[]).includes(role);

const checked = (fields: Fields): Message[] => {
  const messages = messagesOf(fields, 'messages', 'conversation');
  if (messages.length === 0) throw new BadRecord('has an empty conversation in "messages"');
  return messages.map(({ role, content }, i) => {
    if (isRole(role)) return { role, content };
    const which = `a message (number ${i + 1}) of the role "${role.slice(0, 40)}"`;
    throw new BadRecord(`has in "messages" ${which}; the roles are ${roles.join(', ')}`);
  });
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
  rows: (fields) => {
    const messages = checked(fields);
    const last = messages.findLastIndex(({ role }) => role === 'assistant');
    if (last < 0) throw new BadRecord('has in "messages" no message of the assistant');
    if (last === 0) throw new BadRecord('has in "messages" nothing that the assistant answers');
    const prompt = conversationText(messages.slice(0, last));
    return [
      {
        prompt,
        answer: messages[last].content,
        reference: null,
        correct: fields.mark(),
        source: 'assistant',
        messages,
      },
    ];
  },
};
