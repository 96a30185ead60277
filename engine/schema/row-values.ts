/** Values that the engine computes for rows of data, one per row. */

/** Location of a model to open. */
export interface ValuePlace {
  readonly folder: string;
  /** For an adapter whose own files do not locate its base. */
  readonly base?: { readonly path: string; readonly hash: string | null };
}

/** A row as code and rewards see it. */
export interface ValueRow {
  readonly promptId: string;
  readonly prompt: string;
  readonly answer: string;
  readonly reference: string | null;
  readonly correct: boolean | null;
  readonly source: string;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** A reward of the catalogue, with the places of the checkpoints that its parameters name. */
export interface ValueReward {
  readonly id: string;
  readonly params: Readonly<Record<string, unknown>>;
  readonly checkpoints: { readonly [id: string]: ValuePlace };
}

/** The source of rows' values. */
export type ValueSource =
  | { readonly by: 'code'; readonly code: string; readonly timeMs: number }
  | { readonly by: 'reward'; readonly reward: ValueReward }
  | { readonly by: 'model'; readonly place: ValuePlace }
  | { readonly by: 'perplexity'; readonly place: ValuePlace }
  | {
      /** A statistic of the rewards of sampled answers to the row's prompt. */
      readonly by: 'pass-rate' | 'spread';
      readonly place: ValuePlace;
      readonly reward: ValueReward;
      readonly samples: number;
      readonly temperature: number;
      readonly maxTokens: number;
      readonly seed: number;
    };

export type Value = number | string | boolean | null;

/** Values in the order of the rows; null without one. A fault names its row and the reason. */
export interface RowValues {
  readonly values: readonly Value[];
  readonly faults: readonly { readonly row: number; readonly message: string }[];
}
