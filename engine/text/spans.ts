import { WhetstoneError } from '../common/errors.ts';
import { marked, splitTranscript } from '../common/transcript.ts';
import type { Tokenizer } from './tokenizer.ts';

/**
 * Tokens `start` up to `end` (exclusive) of a sequence: their role (`prompt`, `answer`, or the role of a
 * message), and whether the loss is taken on them.
 */
export type Span = readonly [start: number, end: number, role: string, trainable: boolean];

/** One tokenized sequence; the answer starts at `promptLength`. */
export interface Sequence {
  readonly tokens: Int32Array;
  readonly promptLength: number;
  readonly spans: readonly Span[];
}

/**
 * The tokens that generation continues: `begin` and the prompt, or the prompt in the model's chat template.
 */
export const encodePrompt = (tokenizer: Tokenizer, prompt: string): Int32Array => {
  if (tokenizer.prompt) return tokenizer.prompt(prompt);
  const tokens = tokenizer.encode(prompt);
  return tokenizer.begin === null ? tokens : joined(Int32Array.of(tokenizer.begin), tokens);
};

const joined = (first: Int32Array, second: Int32Array): Int32Array => {
  const tokens = new Int32Array(first.length + second.length);
  tokens.set(first);
  tokens.set(second, first.length);
  return tokens;
};

/**
 * `begin`, prompt, answer, `end`; the answer and `end` are trained. Prompt and answer are encoded
 * separately, as in sampling, so that no token crosses the boundary. In an answer of several turns
 * (`schema/transcript.ts`) each turn has its `end`, and the world's replies are never trained.
 */
export const encodeExample = (tokenizer: Tokenizer, prompt: string, answer: string): Sequence => {
  const head = encodePrompt(tokenizer, prompt);
  const { turns, replies } = splitTranscript(answer);
  let sequence = joinAnswer(head, turnTokens(tokenizer, turns[0]));
  replies.forEach((reply, i) => {
    sequence = appended(sequence, tokenizer.encode(marked(reply)), 'world', false);
    sequence = appended(sequence, turnTokens(tokenizer, turns[i + 1]), 'answer', true);
  });
  return sequence;
};

const turnTokens = (tokenizer: Tokenizer, turn: string): Int32Array =>
  joined(tokenizer.encode(turn), Int32Array.of(tokenizer.end));

const appended = (
  { tokens, promptLength, spans }: Sequence,
  more: Int32Array,
  role: string,
  trainable: boolean,
): Sequence => ({
  tokens: joined(tokens, more),
  promptLength,
  spans: [...spans, [tokens.length, tokens.length + more.length, role, trainable]],
});

/** Concatenates a prompt and a sampled answer without tokenizing again. */
export const joinAnswer = (prompt: Int32Array, answer: Int32Array): Sequence => {
  const tokens = joined(prompt, answer);
  return {
    tokens,
    promptLength: prompt.length,
    spans: [
      [0, prompt.length, 'prompt', false],
      [prompt.length, tokens.length, 'answer', true],
    ],
  };
};

/**
 * 1 where a token is trained (as the target of the position before it), else 0. The spans must cover
 * `length` tokens without gaps.
 */
export const maskOf = (spans: readonly Span[], length: number): Uint8Array => {
  const mask = new Uint8Array(length);
  let at = 0;
  for (const [start, end, role, trainable] of spans) {
    if (start !== at || end < start || end > length)
      throw new WhetstoneError(
        'invalid-input',
        `The ${role} span [${start}, ${end}) does not follow token ${at} of a sequence of ${length} tokens.`,
        { where: 'spans' },
      );
    if (trainable) mask.fill(1, start, end);
    at = end;
  }
  if (at !== length)
    throw new WhetstoneError(
      'invalid-input',
      `The spans end at token ${at} of a sequence of ${length} tokens.`,
      { where: 'spans' },
    );
  return mask;
};
