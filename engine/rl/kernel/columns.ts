/**
 * Columns of a batch. A batch is a table of flat rows: one sampled answer, demonstration, turn or node each.
 * Axes: R rows, T tokens. Variable names end with the axes of their column: `rewards_R`, `logp_RT`.
 */

/** One number per row (axis R). */
export type PerRow = Float64Array;

/** Rows of unequal length, concatenated: row r is `values[offsets[r]]` up to `values[offsets[r + 1]]`. */
export interface PerToken<Values extends TokenValues = Float32Array> {
  readonly axis: 'T';
  readonly values: Values;
  readonly offsets: Uint32Array;
  /**
   * Observations after each token. In a control world tokens are actions, and a network reads observations.
   * Of answers by a model on text with a soft prompt: the direction after the first token, then zeros.
   */
  readonly observed?: Observed;
}

/** T × F: `width` numbers for each token. */
export interface Observed {
  readonly values: Float32Array;
  readonly width: number;
}
export type TokenValues = Float32Array | Float64Array | Int32Array | Uint8Array;

/** One number per worked line of each row's answer, concatenated like tokens. */
export interface PerLine {
  readonly values: Float64Array;
  readonly offsets: Uint32Array;
}

/** The problem that a row answers. */
export interface Problem {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string | null;
  /** Difficulty, from 1, if the task states it. */
  readonly level?: number;
  /**
   * The given beginning of the answer at the end of the prompt, as tokens and as its share of the answer that
   * it was cut from; it belongs to the judged answer. `parent` is the id of that answer if it is a recorded
   * one of the run; without it, the beginning is a worked answer's.
   */
  readonly hint?: { readonly share: number; readonly tokens: readonly number[]; readonly parent?: string };
}

/** Every column. A new column or family is one line here; nothing else lists them. */
export interface Columns {
  /**
   * R. The prompt (a number that keys random draws); the group (answers that are compared); the index of the
   * answer in its group.
   */
  promptId: PerRow;
  groupId: PerRow;
  sample: PerRow;
  /**
   * R. Weight of the row in averages: 1 if sampled; group size × probability if all outcomes are enumerated.
   */
  weight: PerRow;
  /**
   * R. The two rows of a pair share `pairId`; `chosen` is 1 on the preferred one; `agreement` is
   * the probability that it is better (1, ½ for a tie, between for a soft label).
   */
  pairId: PerRow;
  chosen: PerRow;
  agreement: PerRow;
  /** R. Label of a stored answer: 1 if it is right (or desirable), 0 if not. */
  label: PerRow;
  /** R. The problem, the answer's text, and 1 if the model ended the answer itself. */
  problem: readonly Problem[];
  completion: readonly string[];
  ended: PerRow;
  /**
   * A model's reply to each row, as an answer: prompt and reply together, 1 on the reply's tokens, its text.
   */
  'reply/tokens': PerToken<Int32Array>;
  'reply/mask': PerToken<Uint8Array>;
  'reply/behaviorLogp': PerToken;
  'reply/completion': readonly string[];
  'reply/ended': PerRow;
  /**
   * R. The whole text that the model was shown in place of the problem's prompt; '' for the prompt itself.
   */
  shown: readonly string[];
  /**
   * RT. The prompt; prompt and answer together; 1 on trained tokens. In a control world `tokens` are a 0,
   * then actions, with what was observed before the first and after each of them.
   */
  prompt: PerToken<Int32Array>;
  tokens: PerToken<Int32Array>;
  mask: PerToken<Uint8Array>;
  /** RT. A worked answer to the prompt, end token included; a text to show or to force. */
  worked: PerToken<Int32Array>;
  /** RT. 1 on the last token of each worked step; 1 on those whose step is right. */
  stepEnd: PerToken<Uint8Array>;
  stepRight: PerToken<Uint8Array>;
  /** RT. Log-probability under the sampling temperature at sampling time; 0 outside the answer. */
  behaviorLogp: PerToken;
  /**
   * RT. Only of answers drawn with top-k, top-p or min-p: log of the probability that the filters kept, 0
   * outside the answer. The token was drawn with log-probability behaviorLogp − keptLogp.
   */
  keptLogp: PerToken;
  /** RT. Advantages are always per token; coarser credit is broadcast. */
  advantage: PerToken<Float64Array>;
  /** RT. A critic's value of the state before each token, and its target. */
  values: PerToken;
  returns: PerToken<Float64Array>;
  /**
   * RT. A component of the credit, before it is mixed into `advantage`; a per-token target. `credit/earned`
   * is the reward by the tokens that earned it: all of it on the last token, unless a scorer returns
   * contributions of lines.
   */
  [credit: `credit/${string}`]: PerToken<Float64Array>;
  /** R. One scorer's raw value; `reward/total` is the weighted total for credit. */
  [reward: `reward/${string}`]: PerRow;
  /** RT. Under a reference: a snapshot of the role (`logp/initial`) or another role (`logp/teacher`). */
  [logp: `logp/${string}`]: PerToken;
  /** RT. Mean log-probability over the vocabulary at each token's position: `mean-logp/policy`. */
  [mean: `mean-logp/${string}`]: PerToken;
  /**
   * R. Of a control world: `row/after` is the value of the state after the row's last step, 0 if it is
   * terminal; `row/finished` is 1 if the row's last step ended an episode, whose return and steps are then
   * `row/return` and `row/length`; `row/terminal` is 1 if it ended in a terminal state, behind which nothing
   * follows; `row/copy` is the copy that it is of; `row/visited` is the share of the world's states that the
   * run has visited, and `row/spread` the entropy of its visits over the log of their number (both 0 where
   * states are not countable). In general: a named number per row, passed from one stage to another:
   * `row/threshold`. The recorder reads four of them: `row/initial` (1: written by the initial model),
   * `row/fresh` (0: a stored row among sampled ones), `row/given` (tokens of the answer that were given, from
   * its first one on), and `row/parent` (`sample` of the answer to the same prompt in the batch that it
   * continues or revises; −1: none).
   */
  [row: `row/${string}`]: PerRow;
}
/**
 * Outputs of a network for N observations: logits of actions, N × V, and values of the states (none without
 * a critic). A network that values bonuses also has those values and features, N × D; one with a predictor,
 * its predictions of features.
 */
export interface Outlook {
  readonly logits: Float32Array;
  readonly values: Float32Array;
  readonly bonus?: Float32Array;
  readonly features?: Float32Array;
  readonly predicted?: Float32Array;
}
export type Column = keyof Columns & string;
export type ColumnValue = Columns[Column];

/** Inputs from outside a role's rows: a model, or a column of a declared buffer. */
export type Port = `model/${string}` | `buffer/${string}/${Column}`;
export type Need = Column | Port;

/** A model's tokenizer and the sizes of what it reads and writes. */
export interface TextPort {
  /** Tokens that generation continues. */
  prompt(text: string): Int32Array;
  /** Text alone: no special token. */
  encode(text: string): Int32Array;
  decode(ids: ArrayLike<number>): string;
  /** The end token; longest sequence and maximum answer length, in tokens. */
  readonly end: number;
  readonly context: number;
  readonly maxTokens: number;
}

/** A model available to stages; parts have no other access to a device. */
export interface ModelPort {
  /** Its own tokenizer, which may be another than the asking role's; its context and its longest answer. */
  readonly text: TextPort;
  /**
   * Log-probability of each token given those before it, at the role's temperature; 0 at the first token of
   * a row. With a mask it may be 0 before the first token in the mask.
   */
  logp(tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>): Promise<PerToken>;
  /** The same for the distributions: entropy in nats, and mean log-probability over the vocabulary. */
  entropy(tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>): Promise<PerToken>;
  meanLogp(tokens_RT: PerToken<Int32Array>, mask_RT?: PerToken<Uint8Array>): Promise<PerToken>;
  /** A scoring head's value of the state before each token; 0 at the first token of a row. */
  values(tokens_RT: PerToken<Int32Array>): Promise<PerToken>;
  /** A scoring head's output after each token. */
  verdicts(tokens_RT: PerToken<Int32Array>): Promise<PerToken>;
  /** A scoring head's value of each whole row; R × K, row by row, for a head with several labels. */
  scores(tokens_RT: PerToken<Int32Array>): Promise<Float64Array>;
  /** R × D: the final hidden state of each row's last token. */
  features(
    tokens_RT: PerToken<Int32Array>,
  ): Promise<{ readonly values: Float64Array; readonly width: number }>;
  /**
   * T × D, token by token: the final hidden state that predicts each token; 0 at the first token of a row.
   */
  states(tokens_RT: PerToken<Int32Array>): Promise<{ readonly values: Float32Array; readonly width: number }>;
  /** T × K: log-probability of each of K tokens at each token's position; 0 at the first token of a row. */
  logpOf(
    tokens_RT: PerToken<Int32Array>,
    ids_K: ArrayLike<number>,
  ): Promise<{ readonly values: Float32Array; readonly width: number }>;
  /**
   * Of a network whose actions are numbers, on rows of one step. R × 2: both critics' values of what was
   * done. R × (A + 1): what it would do after the step by the row's noise, and the log-density times
   * entropy's weight.
   */
  stepValues(
    tokens_RT: PerToken<Int32Array>,
  ): Promise<{ readonly values: Float64Array; readonly width: number }>;
  nextActions(
    tokens_RT: PerToken<Int32Array>,
  ): Promise<{ readonly values: Float64Array; readonly width: number }>;
  /** The network's outputs for N observations [N × F], at the role's temperature. */
  act(observed_NF: Float32Array, rows: number): Promise<Outlook>;
  /** One answer per prompt, like `StageContext.sample` with the role's own model. */
  sample(
    prompts_RT: PerToken<Int32Array>,
    problem_R: readonly Problem[],
    sample_R: Float64Array,
    how?: SampleOptions,
  ): Promise<Answers>;
}

/** Where answers end, if not as usual. */
export interface SampleOptions {
  /** Tokens that end an answer; by default the tokenizer's. */
  readonly ends?: readonly number[];
  /** R. Maximum length of each answer, in tokens. */
  readonly limits?: ArrayLike<number>;
  /** Sampling temperature as a multiple of the role's own; `behaviorLogp` is taken at it. */
  readonly temperature?: number;
  /**
   * Tokens outside the nucleus of a model are not drawn: outside the fewest likeliest ones whose
   * probabilities sum to `topP` at the sampling temperature. The answers then have `keptLogp`. `model`: a
   * snapshot or a role.
   */
  readonly nucleus?: { readonly model: string; readonly topP: number };
  /** Given as undefined: no world replies. */
  readonly turns?: undefined;
}

/** Answers to prompts, prompt and answer together, in the order of the prompts. */
export interface Answers {
  readonly tokens: PerToken<Int32Array>;
  /** 1 on the answer's tokens, end-of-sequence included. */
  readonly mask: PerToken<Uint8Array>;
  readonly behaviorLogp: PerToken;
  /** Absent without filters. */
  readonly keptLogp?: PerToken;
  /** Text of the answers, and 1 if the model ended them itself. */
  readonly completion: readonly string[];
  readonly ended: PerRow;
  /**
   * Weight of each answer, if not 1: a sampler that enumerates all outcomes weights each by its probability.
   */
  readonly weight?: PerRow;
}

/** A part receives exactly its named needs, whatever their kind. */
export type Inputs<N extends Need> = {
  readonly [K in N]: K extends Column
    ? Columns[K]
    : K extends `buffer/${string}/${infer C extends Column}`
      ? Columns[C]
      : ModelPort;
};
