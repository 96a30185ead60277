import { pairSource, preferring, tripleSource } from '../pair-sources.ts';
import { defineTaskKind, nonEmpty } from '../task-kind.ts';

/**
 * Preference pairs: two rows with one `pairId`, `chosen` 1 and 0, chosen first. `allPairs` is the whole
 * training split as one batch, `count` its number of pairs; `triples` add a third row, a right answer to the
 * same prompt; `reward` is the run's reward stack.
 */
export const preferences = defineTaskKind({
  kind: 'preferences',
  title: 'preferences',
  summary: 'preferences: labels, or a dataset with right and wrong answers',
  // few worlds make pairs, so labels and datasets come first
  offeredBy: ['labels', 'dataset', 'world'],
  offeredByWorld: ({ preference }) => preference !== undefined,
  trainsOn: 'pairs',
  rewards: 'optional',
  sources: (data, options) => {
    const pairs = preferring(nonEmpty(data.pairs, 'decided pairs', data), data.name);
    return {
      pairs: pairSource(pairs, options),
      allPairs: pairSource(pairs, options, pairs.size),
      triples: tripleSource(pairs, options),
      count: pairs.size,
      reward: options.stack,
    };
  },
});
