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

/** What a row is an attempt at. */
export interface Problem {
  readonly promptId: string;
  readonly prompt: string;
  readonly reference: string | null;
}

/** Every column there can be. A new column or family is one line here; nothing else lists them. */
export interface Columns {
  /** R. Which prompt (a number that keys random draws); which group (attempts that are compared); which attempt of its group. */
  promptId: PerRow;
  groupId: PerRow;
  sample: PerRow;
  /** R. How much the row counts in averages: 1 when sampled; group size × probability where every outcome is enumerated. */
  weight: PerRow;
  /** R. The two rows of a pair share `pairId`; `chosen` is 1 on the preferred one; `agreement` is how sure that is (1, or ½ for a tie). */
  pairId: PerRow;
  chosen: PerRow;
  agreement: PerRow;
  /** R. What was asked, what was answered, and 1 where the answer ended by itself. */
  problem: readonly Problem[];
  completion: readonly string[];
  ended: PerRow;
  /** RT. What the model is shown; prompt and answer together; 1 where the role is trained. */
  prompt: PerToken<Int32Array>;
  tokens: PerToken<Int32Array>;
  mask: PerToken<Uint8Array>;
  /** RT. Log-probability under the sampling temperature, when it was sampled; 0 outside the answer. */
  behaviorLogp: PerToken;
  /** RT. Credit is token-shaped everywhere; coarser credit is broadcast. */
  advantage: PerToken<Float64Array>;
  /** R. One scorer's raw value; `reward/total` is the composed one that credit reads. */
  [reward: `reward/${string}`]: PerRow;
  /** RT. Under a reference: a snapshot of the role (`logp/initial`) or another role (`logp/teacher`). */
  [logp: `logp/${string}`]: PerToken;
}
export type Column = keyof Columns & string;
export type ColumnValue = Columns[Column];

/** What lies outside a role's rows: a model that can be asked, or a column of a declared buffer. */
export type Port = `model/${string}` | `buffer/${string}/${Column}`;
export type Need = Column | Port;

/** A model that stages may ask; parts never reach a device in another way. */
export interface ModelPort {
  /** Log-probability of each token given those before it, at the role's temperature; 0 at the first token of a row. */
  logp(tokens_RT: PerToken<Int32Array>): Promise<PerToken>;
}

/** A part receives exactly what it named, whatever its kind. */
export type Inputs<N extends Need> = {
  readonly [K in N]: K extends Column ? Columns[K] : K extends `buffer/${string}/${infer C extends Column}` ? Columns[C] : ModelPort;
};
