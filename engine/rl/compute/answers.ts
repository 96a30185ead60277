/** Generates answers with a model, as columns: in one piece, or in turns with a multi-turn world. */
import { generate, type Answer, type GenerateOptions } from '../../models/generate/generate.ts';
import { marked, unmarked } from '../../common/transcript.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import type { Turns } from '../../worlds/index.ts';
import type { Answers, PerToken, Problem } from '../kernel/columns.ts';
import { observedOf, ragged, rowCount, rowOf } from '../kernel/rows.ts';

export interface WriteOptions extends Omit<GenerateOptions, 'rows'> {
  readonly tokenizer: Tokenizer;
  /** A multi-turn world's replies. `maxTokens` then bounds the whole transcript, replies included. */
  readonly turns?: Turns;
  /** R. Maximum length of each row's answer, if shorter than `maxTokens`. */
  readonly limits?: ArrayLike<number>;
}

/** The kept tokens hold at least the likeliest one; in float32 the rest may still round to everything. */
const MOST_DROPPED = 1 - 1e-7;

/** A partial answer: `mask` is 1 on the model's tokens, and `logp` is 0 elsewhere. */
interface Growing {
  readonly promptId: string;
  readonly prompt: string;
  readonly sample: number;
  readonly promptLength: number;
  tokens: Int32Array;
  readonly mask: number[];
  readonly logp: number[];
  /** Log of the kept probability; 0 where nothing is dropped. */
  readonly kept: number[];
  readonly replies: string[];
  text: string;
  ended: boolean;
  /** Tokens at the prompt's end that belong to the judged answer (the hint). */
  hinted: number;
  /** Input of the model's soft prompt in every turn, [size]. */
  direction?: Float32Array;
}

/**
 * One answer to each row's prompt; draws are keyed by (problem, sample), and by the turn. In a multi-turn
 * world each turn ends with the model's end token; the world's reply follows as tokens that are never
 * trained. It continues until the episode is over, its turns are spent, or no token is left.
 */
export const writeAnswers = async (
  prompts_RT: PerToken<Int32Array>,
  problem_R: readonly Problem[],
  sample_R: ArrayLike<number>,
  { tokenizer, turns, limits, ...options }: WriteOptions,
): Promise<Answers> => {
  const rows = Array.from({ length: rowCount(prompts_RT) }, (_, r): Growing => {
    const tokens = rowOf(prompts_RT, r);
    return {
      promptId: problem_R[r].promptId,
      prompt: problem_R[r].prompt,
      sample: sample_R[r],
      promptLength: tokens.length,
      tokens,
      mask: Array.from(tokens, () => 0),
      logp: Array.from(tokens, () => 0),
      kept: Array.from(tokens, () => 0),
      replies: [],
      text: '',
      ended: false,
      hinted: hintedBy(problem_R[r], tokens),
    };
  });
  let open = rows;
  for (let turn = 1; open.length > 0; turn++) {
    const answers = await generate({
      ends: tokenizer.ends,
      ...options,
      purpose: turn === 1 ? options.purpose : `${options.purpose}, turn ${turn}`,
      rows: open.map((row, r) => ({
        prompt: row.tokens,
        promptId: row.promptId,
        sample: row.sample,
        ...(turn === 1 && limits && { maxTokens: limits[r] }),
        ...(turn > 1 && { maxTokens: left(row, options) }),
        ...(row.direction && { direction: row.direction }),
      })),
    });
    open.forEach((row, at) => grow(row, answers[at], tokenizer, turns !== undefined));
    open = turns === undefined ? [] : open.filter((row) => replied(row, turns, tokenizer, options));
  }
  return {
    tokens: withDirections(
      ragged(rows, Int32Array, (row) => row.tokens),
      rows,
    ),
    mask: ragged(rows, Uint8Array, (row) => row.mask),
    behaviorLogp: ragged(rows, Float32Array, (row) => row.logp),
    ...((options.filters || options.guidance?.nucleus !== undefined) && {
      keptLogp: ragged(rows, Float32Array, (row) => row.kept),
    }),
    completion: rows.map((row) => row.text),
    ended: Float64Array.from(rows, (row) => Number(row.ended)),
  };
};

/** Rows of tokens with their directions behind the first ones, if they have any. */
const withDirections = (
  tokens: PerToken<Int32Array>,
  rows: readonly Pick<Growing, 'direction' | 'tokens'>[],
): PerToken<Int32Array> => {
  const width = rows.find(({ direction }) => direction)?.direction?.length;
  if (width === undefined) return tokens;
  const behind = rows.map(({ direction = [], tokens: { length } }) => {
    const read = new Float32Array(length * width);
    read.set(direction);
    return read;
  });
  return { ...tokens, observed: observedOf(behind, width) };
};

/** Tokens of the hint at the end of a prompt: the judged text begins with them. */
const hintedBy = ({ hint }: Problem, prompt: Int32Array): number => {
  if (!hint || hint.tokens.length > prompt.length) return 0;
  return hint.tokens.every((token, at) => prompt[prompt.length - hint.tokens.length + at] === token)
    ? hint.tokens.length
    : 0;
};

/** Tokens left for the transcript. */
const left = (
  { tokens, promptLength }: Growing,
  { maxTokens, model }: Pick<WriteOptions, 'maxTokens' | 'model'>,
): number => Math.min(promptLength + maxTokens, model.config.context) - tokens.length;

/** Adds the model's turn. In multi-turn worlds marks in it are replaced: text in marks is the world's. */
const grow = (
  row: Growing,
  { tokens, logp, dropped, stopReason, direction }: Answer,
  tokenizer: Tokenizer,
  inTurns: boolean,
): void => {
  const text = tokenizer.decode(tokens.subarray(row.tokens.length - row.hinted));
  row.hinted = 0;
  logp.forEach((each, t) => {
    row.mask.push(1);
    row.logp.push(each);
    row.kept.push(dropped ? Math.log1p(-Math.min(dropped[t], MOST_DROPPED)) : 0);
  });
  row.tokens = tokens;
  row.direction = direction;
  row.ended = stopReason === 'end';
  row.replies.push(inTurns ? unmarked(text) : text);
  row.text += row.replies[row.replies.length - 1];
};

/**
 * Adds the world's reply, if the model has ended its turn, the episode continues, and there is room for
 * another turn.
 */
const replied = (
  row: Growing,
  { limit, next }: Turns,
  tokenizer: Tokenizer,
  options: Pick<WriteOptions, 'maxTokens' | 'model'>,
): boolean => {
  if (!row.ended || row.replies.length >= limit) return false;
  const outcome = next(row.prompt, row.replies);
  if ('done' in outcome) return false;
  const reply = marked(outcome.reply);
  const tokens = tokenizer.encode(reply);
  // a transcript cut before a turn was not ended by the model
  row.ended = false;
  if (left(row, options) <= tokens.length) return false;
  row.tokens = Int32Array.of(...row.tokens, ...tokens);
  for (let t = 0; t < tokens.length; t++) {
    row.mask.push(0);
    row.logp.push(0);
    row.kept.push(0);
  }
  row.text += reply;
  return true;
};
