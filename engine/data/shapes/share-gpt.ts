import { isObject } from '../formats/record.ts';
import { referenceOf } from './answers.ts';
import { systemMessage } from './conversations.ts';
import { conversationText, messageIn, messagesOf } from './messages.ts';
import { bothRows } from './preferences.ts';
import { BadRecord, EmptyAnswer, type Fields, type Shape } from './shape.ts';

/** Preference pairs in ShareGPT's layout with one message each, as LLaMA-Factory reads them. */
export const shareGptPreferences: Shape = {
  title: 'preference pairs (ShareGPT)',
  needs: '"conversations" as a list of {"from", "value"}, "chosen" and "rejected" as such a message',
  matches: (record) =>
    Array.isArray(record.conversations) && isObject(record.chosen) && isObject(record.rejected),
  why: () =>
    '"conversations" is the prompt, "chosen" and "rejected" are answers to it: two rows for each pair.',
  rows: (fields) => {
    const before = [...systemMessage(fields), ...messagesOf(fields, 'conversations', 'prompt')];
    return bothRows({
      prompt: conversationText(before),
      chosen: answerIn(fields, 'chosen', 'right answer'),
      rejected: answerIn(fields, 'rejected', 'wrong answer'),
      reference: referenceOf(fields),
    });
  },
};

const answerIn = (fields: Fields, column: string, as: string): string => {
  const message = messageIn(fields.value(column, as));
  if (!message) throw new BadRecord(`has in "${column}" no message {"from", "value"}`);
  if (message.content === '') throw new EmptyAnswer(`has no answer in "${column}"`);
  return message.content;
};
