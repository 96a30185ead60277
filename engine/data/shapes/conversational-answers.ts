import { columnFor } from './answers.ts';
import { withRoles } from './conversations.ts';
import { conversationText, messagesOf } from './messages.ts';
import { BadRecord, type Shape } from './shape.ts';

/** A prompt and an answer as messages, perhaps marked: TRL's conversational unpaired preferences. */
export const conversationalAnswers: Shape = {
  title: 'conversational prompts and answers',
  needs: '"prompt" and "completion" as lists of {"role", "content"}, perhaps with a mark ("label")',
  matches: (record) => {
    const [prompt, answer] = [columnFor(record, 'prompt'), columnFor(record, 'answer')];
    return (
      prompt !== undefined &&
      answer !== undefined &&
      Array.isArray(record[prompt]) &&
      Array.isArray(record[answer])
    );
  },
  why: ({ record, markColumn }) =>
    `"${columnFor(record, 'prompt')}" and "${columnFor(record, 'answer')}" are messages of one conversation: one ` +
    `row for each.${markColumn === undefined ? '' : ` "${markColumn}" says whether the answer is right.`}`,
  rows: (fields) => {
    const columns = {
      prompt: columnFor(fields.record, 'prompt') ?? 'prompt',
      answer: columnFor(fields.record, 'answer') ?? 'completion',
    };
    const before = withRoles(messagesOf(fields, columns.prompt, 'prompt'), columns.prompt);
    const after = withRoles(messagesOf(fields, columns.answer, 'answer'), columns.answer);
    if (before.length === 0) throw new BadRecord(`has an empty conversation in "${columns.prompt}"`);
    if (after.at(-1)?.role !== 'assistant')
      throw new BadRecord(`has in "${columns.answer}" a conversation that does not end with the assistant`);
    return [
      {
        prompt: conversationText(before),
        answer: conversationText(after, 'assistant'),
        reference: null,
        correct: fields.mark(),
        source: 'assistant',
        messages: [...before, ...after],
      },
    ];
  },
};
