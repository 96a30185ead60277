import { columnFor, promptOf, referenceOf } from './answers.ts';
import { conversationText, messagesOf, type Message } from './messages.ts';
import {
  BadRecord,
  EmptyAnswer,
  isEmpty,
  type Fields,
  type RecordOf,
  type Shape,
  type ShapedRow,
} from './shape.ts';

interface Pair {
  readonly prompt: string;
  readonly chosen: string;
  readonly rejected: string;
  readonly reference: string | null;
}

/** The two rows of a preference pair: the chosen one counts as right, the rejected one as wrong. */
export const bothRows = ({ prompt, chosen, rejected, reference }: Pair): ShapedRow[] => {
  if (prompt.trim() === '')
    throw new BadRecord('has a "chosen" and a "rejected" that do not begin alike, and no "prompt"');
  if (chosen === rejected) throw new BadRecord('has the same answer in "chosen" and "rejected"');
  const empty = chosen.trim() === '' ? 'chosen' : rejected.trim() === '' ? 'rejected' : null;
  if (empty !== null) throw new EmptyAnswer(`has no answer in "${empty}"`);
  return [
    { prompt, answer: chosen, reference, correct: true, source: 'chosen' },
    { prompt, answer: rejected, reference, correct: false, source: 'rejected' },
  ];
};

const hasPair = (record: RecordOf): boolean => 'chosen' in record && 'rejected' in record;
const isConversation = (record: RecordOf): boolean =>
  Array.isArray(record.chosen) || Array.isArray(record.rejected);
const bothTexts = (fields: Fields): readonly [string, string] => [
  answerText(fields, 'chosen', 'right answer'),
  answerText(fields, 'rejected', 'wrong answer'),
];
const answerText = (fields: Fields, column: string, as: string): string => {
  if (isEmpty(fields.value(column, as))) throw new EmptyAnswer(`has no answer in "${column}"`);
  return fields.text(column, as);
};

/** Pairs with a separate prompt: TRL's explicit preference format. */
export const explicitPreferences: Shape = {
  title: 'preference pairs',
  needs: '"prompt", "chosen" and "rejected"',
  matches: (record) =>
    hasPair(record) && !isConversation(record) && columnFor(record, 'prompt') !== undefined,
  why: ({ record }) =>
    `"${columnFor(record, 'prompt')}", "chosen" and "rejected": two rows for each pair, the chosen one as ` +
    'right, the rejected one as wrong.',
  rows: (fields) => {
    const [prompt, [chosen, rejected]] = [promptOf(fields), bothTexts(fields)];
    return bothRows({ prompt, chosen, rejected, reference: referenceOf(fields) });
  },
};

/** The same without a separate prompt: it is the common prefix of both texts. */
export const implicitPreferences: Shape = {
  title: 'preference pairs with the prompt inside',
  needs: '"chosen" and "rejected" that begin with the same prompt',
  matches: (record) => hasPair(record) && !isConversation(record),
  why: () => '"chosen" and "rejected" without a "prompt": the prompt is what both begin with.',
  rows: (fields) => {
    if (columnFor(fields.record, 'prompt') !== undefined)
      throw new BadRecord('has a prompt of its own, unlike the lines before it');
    const [chosen, rejected] = bothTexts(fields);
    const length = sharedPrompt(chosen, rejected);
    const prompt = chosen.slice(0, length).trimEnd();
    return bothRows({
      prompt,
      chosen: chosen.slice(length),
      rejected: rejected.slice(length),
      reference: referenceOf(fields),
    });
  },
};

const humanTurn = /(?:^|\n\n)Human:[^]*?\n\nAssistant:/g;

/** The shared turns of two transcripts in HH-RLHF's form: an answer may itself contain "Assistant:". */
const sharedTurns = (shared: string): number => {
  const last = [...shared.matchAll(humanTurn)].at(-1);
  if (!last) return 0;
  const end = last.index + last[0].length;
  return shared[end] === ' ' ? end + 1 : end;
};

/**
 * Length of the shared prompt prefix: up to the end of the last human turn of a transcript, else of the last
 * assistant mark, else up to the last blank. Answers may share a prefix too.
 */
const sharedPrompt = (a: string, b: string): number => {
  let same = 0;
  while (same < a.length && same < b.length && a[same] === b[same]) same++;
  const shared = a.slice(0, same);
  if (a.search(humanTurn) >= 0 && b.search(humanTurn) >= 0) return sharedTurns(shared);
  const turn = [...shared.matchAll(/(?:^|\n)[ \t]*(?:assistant|bot|answer|a)[ \t]*:[ \t]?/gi)].at(-1);
  if (turn) return turn.index + turn[0].length;
  return Math.max(shared.lastIndexOf(' '), shared.lastIndexOf('\n'), shared.lastIndexOf('\t')) + 1;
};

/**
 * The same with conversations; the prompt in a separate column, or as the messages that both share at the
 * start.
 */
export const conversationalPreferences: Shape = {
  title: 'conversational preference pairs',
  needs: '"chosen" and "rejected" as lists of {"role", "content"} (and "prompt", as such a list or as text)',
  matches: (record) => hasPair(record) && isConversation(record),
  why: ({ record }) => {
    const column = columnFor(record, 'prompt');
    const where =
      column === undefined
        ? 'the messages that both begin with'
        : `in "${column}", with the messages that both begin with`;
    return `"chosen" and "rejected" are conversations; the prompt is ${where}, what follows in each is the answer.`;
  },
  rows: (fields) => {
    const [chosen, rejected] = [
      messagesOf(fields, 'chosen', 'right answer'),
      messagesOf(fields, 'rejected', 'wrong answer'),
    ];
    const shared = sharedMessages(chosen, rejected);
    return bothRows({
      prompt: conversationText([...promptBefore(fields, shared), ...shared]),
      reference: referenceOf(fields),
      chosen: answerOf(chosen.slice(shared.length), 'chosen'),
      rejected: answerOf(rejected.slice(shared.length), 'rejected'),
    });
  },
};

/** The messages of the prompt column that the conversations do not repeat; a text is a user message. */
const promptBefore = (fields: Fields, shared: readonly Message[]): readonly Message[] => {
  const column = columnFor(fields.record, 'prompt');
  if (column === undefined) return [];
  const own: readonly Message[] = Array.isArray(fields.record[column])
    ? messagesOf(fields, column, 'prompt')
    : [{ role: 'user', content: promptOf(fields) }];
  const repeated = own.every(({ role, content }) =>
    shared.some((message) => message.role === role && message.content.trim() === content.trim()),
  );
  return repeated ? [] : own;
};

/** Messages that both share at the start; at least the last message of each is its answer. */
const sharedMessages = (a: readonly Message[], b: readonly Message[]): readonly Message[] => {
  const most = Math.max(0, Math.min(a.length, b.length) - 1);
  const differing = a
    .slice(0, most)
    .findIndex(({ role, content }, i) => role !== b[i].role || content !== b[i].content);
  return a.slice(0, differing < 0 ? most : differing);
};

/** The answer's messages as one text. */
const answerOf = (messages: readonly Message[], column: string): string => {
  if (messages.at(-1)?.role !== 'assistant')
    throw new BadRecord(`has in "${column}" a conversation that does not end with the assistant`);
  return conversationText(messages, 'assistant');
};
