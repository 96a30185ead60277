/** Requested, active and finished answers. */
import { hash32, type TokenKey } from '../../random/random.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { specials } from '../../text/tokenizer.ts';
import type { ModelDevice } from '../device.ts';
import type { ModelConfig } from '../config.ts';
import type { Model } from '../model.ts';
import { checkSoftPrompt, drawnDirection } from '../soft-prompt.ts';
import { activeFilters, truncates, type Filters } from './filters.ts';
import type { Guidance, LogitsHook } from './hooks.ts';
import { checkSteering, type Steering } from './steering.ts';

/** One answer to generate: a prompt that starts with `begin`, and the key of its random draws. */
export interface AnswerRequest {
  readonly prompt: Int32Array;
  readonly promptId: string;
  readonly sample: number;
  /** Maximum length of this row, if shorter than that of all rows. */
  readonly maxTokens?: number;
  /** Input of the model's soft prompt, [size]; by default drawn by the row's key. */
  readonly direction?: Float32Array;
}

export interface GenerateOptions {
  readonly device: ModelDevice;
  readonly model: Model;
  readonly rows: readonly AnswerRequest[];
  /** 0 is greedy. */
  readonly temperature: number;
  /** Factor of the temperature at each token of an answer, counted from 0; 1 by default. */
  readonly annealing?: (token: number) => number;
  /** Takes the most likely token each time, whatever the temperature. */
  readonly greedy?: boolean;
  /** Truncation of the distribution before each draw; greedy answers do without. */
  readonly filters?: Filters;
  /** Changes of the logits before the filters; an answer's log-probabilities are those of the changed ones. */
  readonly hooks?: readonly LogitsHook[];
  readonly guidance?: Guidance;
  /** A direction added to hidden states; log-probabilities are those of the changed model. */
  readonly steering?: Steering;
  /** A smaller model that drafts trees of tokens, level by level; the law of the answers stays the same. */
  readonly draft?: { readonly model: Model; readonly branching: readonly number[] };
  /** Maximum answer length, end-of-sequence included; the model's context may end it earlier. */
  readonly maxTokens: number;
  /** Tokens that end an answer; by default that of Whetstone's own tokenizers. */
  readonly ends?: readonly number[];
  readonly seed: number;
  readonly purpose: string;
  readonly step: number;
  readonly signal?: AbortSignal;
}

/** A sampled answer. It is never tokenized again. */
export interface Answer {
  /** Prompt and answer, end-of-sequence included if it was sampled. */
  readonly tokens: Int32Array;
  readonly promptLength: number;
  /**
   * Natural log-probability of each answer token at its sampling temperature (1 for greedy answers),
   * after hooks and before filters.
   */
  readonly logp: Float32Array;
  /**
   * With filters: the probability that they dropped at each answer token. The token was drawn with
   * log-probability logp − log(1 − dropped).
   */
  readonly dropped?: Float32Array;
  readonly stopReason: 'end' | 'length';
  /** Input of the model's soft prompt, [size]. */
  readonly direction?: Float32Array;
}

/** A partially generated answer. */
export interface PartialAnswer {
  readonly index: number;
  readonly prompt: Int32Array;
  readonly key: TokenKey;
  readonly limit: number;
  readonly made: number[];
  readonly logp: number[];
  /** Probability that the filters dropped, by token; empty without filters. */
  readonly dropped: number[];
  readonly direction?: Float32Array;
  /** Cache positions in use: every token but the last. */
  length: number;
}

/** Rows with equal texts here have equal states after their prompts. */
export const readText = ({ prompt, direction }: PartialAnswer): string =>
  direction ? `${prompt.join()} after ${direction.join()}` : prompt.join();

/** Throws `invalid-input` for options that no device can generate with. */
export const checkOptions = ({
  model: { config },
  temperature,
  maxTokens,
  guidance,
  steering,
}: GenerateOptions): void => {
  if (guidance) checkGuide(guidance, config);
  if (steering) checkSteering(steering, config);
  if (!(temperature >= 0 && temperature < Infinity))
    throw new WhetstoneError(
      'invalid-input',
      `A sampling temperature of ${temperature} is not a number from 0 up.`,
      { where: 'temperature' },
    );
  if (!Number.isInteger(maxTokens) || maxTokens < 1)
    throw new WhetstoneError(
      'invalid-input',
      `An answer of at most ${maxTokens} tokens cannot be generated.`,
      {
        where: 'maxTokens',
      },
    );
  if (config.head !== 'next-token')
    throw new WhetstoneError('unsupported', 'A reward model scores text and cannot generate it.', {
      where: 'model',
      hint: 'Choose a policy.',
    });
};

/** Throws `invalid-input` if a second model cannot guide one with this configuration. */
const checkGuide = ({ model: { config } }: Guidance, { vocabulary }: ModelConfig): void => {
  if (config.head === 'next-token' && config.vocabulary === vocabulary) return;
  throw new WhetstoneError(
    'invalid-input',
    config.head === 'next-token'
      ? `The model that guides knows ${config.vocabulary} tokens, the sampled one ${vocabulary}.`
      : 'A reward model has no next token and cannot guide.',
    { where: 'sampling.guidance', hint: 'Guide by a model that writes text with the same tokenizer.' },
  );
};

/** The filters of a graph that samples; none for greedy answers. */
export const filtersOf = ({ filters, greedy, temperature }: GenerateOptions): Filters =>
  filters === undefined || greedy === true || temperature === 0 || !truncates(filters)
    ? {}
    : activeFilters(filters);

/** True if something is added to the model's own logits before each token. */
export const isBiased = ({ hooks = [], guidance }: Pick<GenerateOptions, 'hooks' | 'guidance'>): boolean =>
  hooks.length > 0 || (guidance !== undefined && guidance.theirs !== 0);

/** True if something besides the model's own logits decides before each token. */
export const isHooked = (options: Pick<GenerateOptions, 'hooks' | 'guidance' | 'steering'>): boolean =>
  isBiased(options) || options.guidance !== undefined || options.steering !== undefined;

/**
 * Factor of the logits before token `t` of an answer is drawn: 1 ⁄ (temperature · its factor), 1 for greedy
 * answers.
 */
export const sharpnessOf = ({
  temperature,
  annealing,
  greedy,
}: Pick<GenerateOptions, 'temperature' | 'annealing' | 'greedy'>): ((t: number) => number) => {
  if (greedy === true || temperature === 0) return () => 1;
  return annealing ? (t) => 1 / (temperature * annealing(t)) : () => 1 / temperature;
};

/** All waiting rows, sorted by length, with rows of one prompt adjacent so that it is computed once. */
export const waitingRows = (options: GenerateOptions): PartialAnswer[] =>
  options.rows
    .map((row, index) => flying(row, index, options))
    .sort((a, b) => a.prompt.length - b.prompt.length || a.key.prompt - b.key.prompt || a.index - b.index);

const flying = (
  { prompt, promptId, sample, maxTokens = Infinity, direction: given }: AnswerRequest,
  index: number,
  { model: { config }, guidance, draft, maxTokens: longest, seed, purpose, step }: GenerateOptions,
): PartialAnswer => {
  const others = [guidance, draft].map((other) => other?.model.config.context ?? Infinity);
  const context = Math.min(config.context, ...others);
  const limit = Math.min(maxTokens, longest, context - prompt.length);
  if (prompt.length === 0)
    throw new WhetstoneError('invalid-input', 'A prompt needs at least the token that begins it.', {
      where: `prompt ${promptId}`,
    });
  if (limit < 1)
    throw new WhetstoneError(
      'invalid-input',
      `A prompt of ${prompt.length} tokens leaves no room for an answer in a context of ${context}.`,
      {
        where: `prompt ${promptId}`,
        hint: 'Leave out long prompts, or train a model with a longer context.',
      },
    );
  const wrong = prompt.find((id) => id < 0 || id >= config.vocabulary);
  if (wrong !== undefined)
    throw new WhetstoneError(
      'invalid-input',
      `The prompt holds token ${wrong}; the model knows 0 to ${config.vocabulary - 1}.`,
      { where: `prompt ${promptId}`, hint: 'Encode prompts with the model’s own tokenizer.' },
    );
  checkSoftPrompt(config, prompt, `prompt ${promptId}`);
  const key = { seed, purpose, step, prompt: hash32(promptId), sample };
  const direction = given ?? drawnDirection(config, key);
  return {
    index,
    prompt,
    key,
    ...(direction && { direction }),
    limit,
    made: [],
    logp: [],
    dropped: [],
    length: prompt.length - 1,
  };
};

/**
 * The share of all answers that is generated, 0–1; active answers are counted relative to their maximum
 * length.
 */
export const shareWritten = (
  waiting: readonly PartialAnswer[],
  flying: readonly PartialAnswer[],
  all: readonly AnswerRequest[],
): number => {
  const left = flying.reduce((sum, { made, limit }) => sum + 1 - made.length / limit, waiting.length);
  return 1 - left / Math.max(1, all.length);
};

/** The latest token of a row, which is not in the cache yet. */
export const latest = ({ made, prompt }: PartialAnswer): number => made.at(-1) ?? prompt[prompt.length - 1];

/**
 * Adds a token to a row; returns the answer if that ends it. Throws `numeric` if its log-probability is not
 * a number.
 */
export const advance = (
  row: PartialAnswer,
  token: number,
  logp: number,
  ends: readonly number[] = [specials.end],
  dropped?: number,
): Answer | undefined => {
  if (!Number.isFinite(logp))
    throw new WhetstoneError('numeric', 'The model gave a log-probability that is not a number.', {
      where: `step ${row.key.step}, token ${row.made.length}`,
      hint: 'Continue from an earlier checkpoint with a lower learning rate.',
    });
  row.made.push(token);
  row.logp.push(logp);
  if (dropped !== undefined) row.dropped.push(dropped);
  if (!ends.includes(token) && row.made.length < row.limit) return undefined;
  return {
    tokens: Int32Array.of(...row.prompt, ...row.made),
    promptLength: row.prompt.length,
    logp: Float32Array.from(row.logp),
    ...(row.dropped.length > 0 && { dropped: Float32Array.from(row.dropped) }),
    ...(row.direction && { direction: row.direction }),
    stopReason: ends.includes(token) ? 'end' : 'length',
  };
};
