import type { WhetstoneClient } from '../../../preload/contract/index.ts';
import type { LabelPort } from './labeling.svelte.ts';

/**
 * The labeler's own decisions with which the judge disagrees, as a queue: each is decided again without the
 * earlier decision, of which the list of the last ones tells nothing either.
 */
export const relabelingPort = ({ labels, judge }: Pick<WhetstoneClient, 'labels' | 'judge'>): LabelPort => ({
  queue: async (query) => (await judge.disagreements(query)).pairs,
  recent: () => Promise.resolve([]),
  decide: (decision) => labels.decide(decision),
  undo: (query) => labels.undo(query),
  redo: (query) => labels.redo(query),
  progress: (query) => labels.progress(query),
  pair: (query) => labels.pair(query),
  reference: (query) => labels.reference(query),
});
