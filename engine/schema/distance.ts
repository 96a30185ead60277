/** Distances between data as a model sees them, and the call of the engine that measures them. */
import type { ModelPlace, TextToRead, WorldChoice } from './places.ts';

/** Texts: demonstrations of a world’s training prompts, or prompts with answers. */
export type TextSource = { readonly world: WorldChoice } | { readonly texts: readonly TextToRead[] };

export interface DistanceCalls {
  /**
   * Sliced 2-Wasserstein distance of each source from the first one, between the mean-pooled hidden states of
   * `texts` texts of each, in standard deviations of the first one's.
   */
  dataDistances: {
    input: ModelPlace & { from: TextSource; to: readonly TextSource[]; texts: number; seed: number };
    output: number[];
  };
}
