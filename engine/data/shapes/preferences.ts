import { conversationText, messagesOf, type Message } from './messages.ts';
import { BadRecord, textOf, type RecordOf, type Shape, type ShapedRow } from './shape.ts';

/** The two rows of a preference: what was chosen counts as right, what was rejected as wrong. */
const bothRows = (prompt: string, chosen: string, rejected: string): ShapedRow[] => {
  if (prompt.trim() === '') throw new BadRecord('has a "chosen" and a "rejected" that do not begin alike, and no "prompt"');
  if (chosen === rejected) throw new BadRecord('has the same answer in "chosen" and "rejected"');
  if (chosen.trim() === '' || rejected.trim() === '') throw new BadRecord(`has no answer in "${chosen.trim() === '' ? 'chosen' : 'rejected'}"`);
  return [
    { prompt, answer: chosen, reference: null, correct: true, source: 'chosen' },
    { prompt, answer: rejected, reference: null, correct: false, source: 'rejected' },
  ];
};

const hasPair = (record: RecordOf): boolean => 'chosen' in record && 'rejected' in record;
const isConversation = (record: RecordOf): boolean => Array.isArray(record.chosen) || Array.isArray(record.rejected);

/** Pairs with a prompt of their own: TRL's explicit preference format. */
export const explicitPreferences: Shape = {
  title: 'preference pairs',
  needs: '"prompt", "chosen" and "rejected"',
  matches: (record) => hasPair(record) && !isConversation(record) && 'prompt' in record,
  why: () => '"prompt", "chosen" and "rejected": two rows for each pair, the chosen one as right, the rejected one as wrong.',
  rows: (record) => bothRows(textOf(record, 'prompt'), textOf(record, 'chosen'), textOf(record, 'rejected')),
};

/** The same without a prompt: it is what both texts begin with. */
export const implicitPreferences: Shape = {
  title: 'preference pairs with the prompt inside',
  needs: '"chosen" and "rejected" that begin with the same prompt',
  matches: (record) => hasPair(record) && !isConversation(record),
  why: () => '"chosen" and "rejected" without a "prompt": the prompt is what both begin with.',
  rows: (record) => {
    const [chosen, rejected] = [textOf(record, 'chosen'), textOf(record, 'rejected')];
    const length = sharedPrompt(chosen, rejected);
    return bothRows(chosen.slice(0, length).trimEnd(), chosen.slice(length), rejected.slice(length));
  },
};

/** Length of the shared beginning, up to the end of its last assistant mark, else up to its last blank: answers may begin alike too. */
const sharedPrompt = (a: string, b: string): number => {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const shared = a.slice(0, same);
  const turn = [...shared.matchAll(/(?:^|\n)[ \t]*(?:assistant|bot|answer|a)[ \t]*:[ \t]?/gi)].at(-1);
  if (turn) return turn.index + turn[0].length;
  return Math.max(shared.lastIndexOf(' '), shared.lastIndexOf('\n'), shared.lastIndexOf('\t')) + 1;
};

/** The same with conversations; the prompt in a column of its own, or as the messages that both begin with. */
export const conversationalPreferences: Shape = {
  title: 'conversational preference pairs',
  needs: '"chosen" and "rejected" as lists of {"role", "content"} (and "prompt", as such a list or as text)',
  matches: (record) => hasPair(record) && isConversation(record),
  why: (record) => `"chosen" and "rejected" are conversations; the prompt is ${'prompt' in record ? 'in "prompt"' : 'the messages that both begin with'}, the last message of each is the answer.`,
  rows: (record) => {
    const [chosen, rejected] = [messagesOf(record, 'chosen'), messagesOf(record, 'rejected')];
    const prompt = 'prompt' in record ? promptColumn(record) : conversationText(sharedMessages(chosen, rejected));
    return bothRows(prompt, lastAnswer(chosen, 'chosen'), lastAnswer(rejected, 'rejected'));
  },
};

const promptColumn = (record: RecordOf): string =>
  Array.isArray(record.prompt) ? conversationText(messagesOf(record, 'prompt')) : textOf(record, 'prompt');

const sharedMessages = (a: readonly Message[], b: readonly Message[]): readonly Message[] => {
  const differing = a.findIndex((message, i) => message.role !== b[i]?.role || message.content !== b[i].content);
  return a.slice(0, differing < 0 ? a.length - 1 : differing);
};

const lastAnswer = (messages: readonly Message[], column: string): string => {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') throw new BadRecord(`has in "${column}" a conversation that does not end with the assistant`);
  return last.content;
};
