/** Tokenizes a task's text: prompts, whole rows, and answers line by line. */
import { pause } from '../../pace/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import type { TaskKindInfo } from '../../schema/task-kind.ts';
import { encodeConversation } from '../../text/chat.ts';
import { encodeExample, encodePrompt, maskOf, type Sequence } from '../../text/spans.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { PerToken } from '../kernel/columns.ts';
import { ragged } from '../kernel/rows.ts';
import type { IndexedStream, Example, TaskData } from './task-data.ts';

export interface EncodingOptions {
  readonly tokenizer: Tokenizer;
  /** Context of the model, and longest answer, in tokens. */
  readonly context: number;
  readonly maxTokens: number;
}

/**
 * Caches encoded texts by tokenizer, since every epoch and every evaluation repeats them. Texts beyond the
 * cache's bound are encoded each time.
 */
const sequences = new WeakMap<Tokenizer, Map<string, Pick<Sequence, 'tokens' | 'spans'>>>();
const MOST_SEQUENCES = 16_384;

type Row = Pick<Example, 'prompt' | 'answer' | 'conversation'>;

/** Encodes a whole row. Throws `invalid-input` if the tokenizer or the chat template cannot encode it. */
export const sequenceOf = (
  tokenizer: Tokenizer,
  { prompt, answer, conversation }: Row,
): Pick<Sequence, 'tokens' | 'spans'> => {
  const known = sequences.get(tokenizer) ?? new Map<string, Pick<Sequence, 'tokens' | 'spans'>>();
  sequences.set(tokenizer, known);
  const key = conversation
    ? JSON.stringify([conversation.messages, conversation.roles])
    : `${prompt}\u0000${answer}`;
  const found =
    known.get(key) ??
    (conversation ? conversationOf(tokenizer, conversation) : encodeExample(tokenizer, prompt, answer));
  if (known.size < MOST_SEQUENCES) known.set(key, found);
  return found;
};

/** Encodes a conversation with the model's chat template; errors name its file, line and field. */
const conversationOf = (
  tokenizer: Tokenizer,
  { messages, roles, where }: NonNullable<Example['conversation']>,
): Pick<Sequence, 'tokens' | 'spans'> => {
  const at = `${where}, messages`;
  try {
    const encoded = encodeConversation(tokenizer, messages, roles);
    if (encoded.spans.some(([, , , trainable]) => trainable)) return encoded;
  } catch (error) {
    if (!(error instanceof WhetstoneError)) throw error;
    throw new WhetstoneError(error.kind, error.message, {
      where: at,
      hint: error.hint ?? 'Correct the conversation, or use a model whose template takes it.',
      cause: error,
    });
  }
  throw new WhetstoneError(
    'invalid-input',
    `This conversation has no message to learn: none has one of the roles ${roles.join(', ')}.`,
    { where: at, hint: 'Choose other roles for the run (task.roles), or leave the conversation out.' },
  );
};

export const tooLong = (tokens: number, context: number, prompt: string): WhetstoneError =>
  new WhetstoneError(
    'invalid-input',
    `A row has ${tokens} tokens; the model reads ${context}: "${prompt.slice(0, 60)}"`,
    {
      where: 'models.policy.architecture.context',
      hint: 'Use a model with a longer context, a tokenizer with longer tokens, or shorter rows.',
    },
  );

/**
 * Encodes every stored row of a method's training data once and caches the tokens. Thousands of rows take
 * seconds, so this reports progress and can be stopped.
 */
export const encodeAhead = async (
  { examples, graded, pairs, heldout }: Pick<TaskData, 'examples' | 'graded' | 'pairs' | 'heldout'>,
  trainsOn: TaskKindInfo['trainsOn'],
  tokenizer: Tokenizer,
): Promise<void> => {
  const all = <T>(draws: IndexedStream<T> | undefined): T[] =>
    draws && Number.isFinite(draws.size) && draws.only
      ? Array.from({ length: draws.size }, (_, i) => draws.at(i))
      : [];
  const rows: { readonly [K in TaskKindInfo['trainsOn']]: () => readonly Row[] } = {
    examples: () => [...all(examples), ...heldout.examples],
    graded: () => [...all(graded), ...heldout.graded],
    pairs: () => [
      ...all(pairs).flatMap(({ prompt, chosen, rejected }) => [
        { prompt, answer: chosen },
        { prompt, answer: rejected },
      ]),
      ...heldout.pairs.flatMap(({ prompt, a, b }) => [
        { prompt, answer: a },
        { prompt, answer: b },
      ]),
    ],
    // sources encode prompts as they draw them
    problems: () => [],
    steps: () => [],
  };
  const own = rows[trainsOn]();
  for (const [at, row] of own.entries()) {
    await pause(at / own.length);
    sequenceOf(tokenizer, row);
  }
};

/** Examples as tokens and masks. Throws if a row is longer than the model's context. */
export const encodeRows = (
  rows: readonly Example[],
  { tokenizer, context }: Pick<EncodingOptions, 'tokenizer' | 'context'>,
): { tokens: PerToken<Int32Array>; mask: PerToken<Uint8Array> } => {
  const encoded = rows.map((row) => sequenceOf(tokenizer, row));
  const long = encoded.findIndex(({ tokens }) => tokens.length > context);
  if (long >= 0) throw tooLong(encoded[long].tokens.length, context, rows[long].prompt);
  return {
    tokens: ragged(encoded, Int32Array, ({ tokens }) => tokens),
    mask: ragged(encoded, Uint8Array, ({ spans, tokens }) => maskOf(spans, tokens.length)),
  };
};

/**
 * Encodes an answer line by line: the tokens of prompt and answer, the position of the answer's first token,
 * and the position of each line's last token.
 */
export const linesOf = (
  tokenizer: Tokenizer,
  { prompt, answer }: Pick<Row, 'prompt' | 'answer'>,
): { readonly tokens: readonly number[]; readonly start: number; readonly ends: readonly number[] } => {
  const tokens = [...encodePrompt(tokenizer, prompt)];
  const start = tokens.length;
  const ends: number[] = [];
  const lines = answer.split('\n');
  lines.forEach((line, at) => {
    tokens.push(...tokenizer.encode(at < lines.length - 1 ? `${line}\n` : line));
    ends.push(tokens.length - 1);
  });
  return { tokens: [...tokens, tokenizer.end], start, ends };
};

/** Tokenizes prompts. Throws if one leaves too little room for an answer. */
export const encodePrompts = (
  problems: readonly { readonly prompt: string }[],
  { tokenizer, context, maxTokens }: EncodingOptions,
): PerToken<Int32Array> => {
  const rows = problems.map(({ prompt }) => encodePrompt(tokenizer, prompt));
  const long = rows.findIndex((row) => row.length + maxTokens > context);
  if (long >= 0) {
    throw new WhetstoneError(
      'invalid-input',
      `A prompt of ${rows[long].length} tokens and an answer of ${maxTokens} exceed the model's context of ` +
        `${context}: "${problems[long].prompt.slice(0, 60)}"`,
      {
        where: 'sampling.maxTokens',
        hint: 'Use shorter answers, or a model with a longer context.',
      },
    );
  }
  return ragged(rows, Int32Array);
};
