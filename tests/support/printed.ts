/** What commands print, as far as tests read it. */

/** `dataset-export`, `derive` and others: a dataset was written. */
export interface Saved {
  readonly dataset: { readonly rows: number };
}
/** `run`, `resume`. */
export interface Ran {
  readonly run: { readonly id: string };
  readonly checkpoints: readonly { readonly id: string }[];
  readonly leftOut: { readonly training: number; readonly heldout: number; readonly problems: number };
}
