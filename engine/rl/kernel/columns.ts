/**
 * Columns of a batch. A batch is a table of flat rows: one attempt, demonstration, turn or node each.
 * Axes: R rows, T tokens. A variable that holds a column carries them: `rewards_R`, `logp_RT`.
 */

/** One number per row (axis R). */
export type PerRow = Float64Array;

/** Rows of unequal length laid end to end: row r is `values[offsets[r]]` up to `values[offsets[r + 1]]`. */
export interface PerToken<Values extends TokenValues = Float32Array> {
  readonly axis: 'T';
  readonly values: Values;
  readonly offsets: Uint32Array;
}
export type TokenValues = Float32Array | Float64Array | Int32Array | Uint8Array;

/** One number for each worked line of a row's answer, laid end to end as tokens are. */
export interface PerLine {
  readonly values: Float64Array;
  readonly offsets: Uint32Array;
}

/** What a row is an attempt at. */
export interface Problem {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string | null;
  /** Difficulty, from 1, where the task knows it. */
  readonly level?: number;
  /**
   * What of a worked answer its prompt ends with, as tokens and as the share of that answer that was asked
   * for: part of the answer that is judged.
   */
  readonly hint?: { readonly share: number; readonly tokens: readonly number[] };
}

/** Every column there can be. A new column or family is one line here; nothing else lists them. */
export interface Columns {
  /**
   * R. Which prompt (a number that keys random draws); which group (attempts that are compared); which
   * attempt of its group.
   */
  promptId: PerRow;
  groupId: PerRow;
  sample: PerRow;
  /**
   * R. How much the row counts in averages: 1 when sampled; group size × probability where every outcome is
   * enumerated.
   */
  weight: PerRow;
  /**
   * R. The two rows of a pair share `pairId`; `chosen` is 1 on the preferred one; `agreement` is
   * the probability that it is better (1, or ½ for a tie).
   */
  pairId: PerRow;
  chosen: PerRow;
  agreement: PerRow;
  /** R. Of a stored answer: 1 where it is right (or wanted), 0 where it is not. */
  label: PerRow;
  /** R. What was asked, what was answered, and 1 where the answer ended by itself. */
  problem: readonly Problem[];
  completion: readonly string[];
  ended: PerRow;
  /** RT. What the model is shown; prompt and answer together; 1 where the role is trained. */
  prompt: PerToken<Int32Array>;
  tokens: PerToken<Int32Array>;
  mask: PerToken<Uint8Array>;
  /** RT. A worked answer to the prompt, end mark included; a text shown or forced. */
  worked: PerToken<Int32Array>;
  /** RT. 1 on the last token of each worked step; of those, 1 where the step is right. */
  stepEnd: PerToken<Uint8Array>;
  stepRight: PerToken<Uint8Array>;
  /** RT. Log-probability under the sampling temperature, when it was sampled; 0 outside the answer. */
  behaviorLogp: PerToken;
  /** RT. Credit is token-shaped everywhere; coarser credit is broadcast. */
  advantage: PerToken<Float64Array>;
  /** RT. A critic's value of the state that each token was written in, and what it should have been. */
  values: PerToken;
  returns: PerToken<Float64Array>;
  /**
   * RT. A part of the credit, before it is mixed into `advantage`; a per-token target. `credit/earned` is the
   * reward by the tokens that earned it: all of it with the last one, but for scorers that tell what each
   * line adds.
   */
  [credit: `credit/${string}`]: PerToken<Float64Array>;
  /** R. One scorer's raw value; `reward/total` is the composed one that credit reads. */
  [reward: `reward/${string}`]: PerRow;
  /** RT. Under a reference: a snapshot of the role (`logp/initial`) or another role (`logp/teacher`). */
  [logp: `logp/${string}`]: PerToken;
  /** RT. Mean over the vocabulary of the log-probability at each token's place: `mean-logp/policy`. */
  [mean: `mean-logp/${string}`]: PerToken;
  /**
   * R. A named number of a row that one stage leaves for another: `row/threshold`. Two are read by the record
   * as well: `row/initial` (1: the initial model wrote it) and `row/fresh` (0: a stored row beside sampled
   * ones).
   */
  [row: `row/${string}`]: PerRow;
}
export type Column = keyof Columns & string;
export type ColumnValue = Columns[Column];

/** What lies outside a role's rows: a model that can be asked, or a column of a declared buffer. */
export type Port = `model/${string}` | `buffer/${string}/${Column}`;
export type Need = Column | Port;

/** A model that stages may ask; parts never reach a device in another way. */
export interface ModelPort {
  /**
   * Log-probability of each token given those before it, at the role's temperature; 0 at the first token of a
   * row. With a mask it may be 0 before the first token that this holds.
   */
  logp(tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>): Promise<PerToken>;
  /** The same of the distributions: entropy in nats, and mean log-probability over the vocabulary. */
  entropy(tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>): Promise<PerToken>;
  meanLogp(tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>): Promise<PerToken>;
  /** A scoring head's value of the state before each token; 0 at the first token of a row. */
  values(tokens_RT: PerToken<Int32Array>): Promise<PerToken>;
  /** A scoring head's value of each whole row; of a head with several labels R × K, row by row. */
  scores(tokens_RT: PerToken<Int32Array>): Promise<Float64Array>;
  /** R × D: the final hidden state of each row's last token. */
  features(
    tokens_RT: PerToken<Int32Array>,
  ): Promise<{ readonly values: Float64Array; readonly width: number }>;
  /** One answer to each prompt, as `Loop.sample` does with the role's own model. */
  sample(
    prompts_RT: PerToken<Int32Array>,
    problem_R: readonly Problem[],
    sample_R: Float64Array,
  ): Promise<Answers>;
}

/** Answers to prompts, prompt and answer together, in the order of the prompts. */
export interface Answers {
  readonly tokens: PerToken<Int32Array>;
  /** 1 on the answer's tokens, end-of-sequence included. */
  readonly mask: PerToken<Uint8Array>;
  readonly behaviorLogp: PerToken;
  /** Text of the answers, and 1 where the model ended them by itself. */
  readonly completion: readonly string[];
  readonly ended: PerRow;
  /**
   * How much each counts, where that is not 1: a sampler that lists every outcome weighs each by its
   * probability.
   */
  readonly weight?: PerRow;
}

/** A part receives exactly what it named, whatever its kind. */
export type Inputs<N extends Need> = {
  readonly [K in N]: K extends Column
    ? Columns[K]
    : K extends `buffer/${string}/${infer C extends Column}`
      ? Columns[C]
      : ModelPort;
};
