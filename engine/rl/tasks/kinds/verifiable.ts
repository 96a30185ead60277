import { guided, prompts } from '../prompt-sources.ts';
import { defineTaskKind } from '../task-kind.ts';

/**
 * Prompts whose answers can be scored: `reward` is the run's stack. `guided` prompts come with a right worked
 * answer.
 */
export const verifiable = defineTaskKind({
  kind: 'verifiable',
  title: 'answers that are scored as they are written',
  summary:
    'prompts whose answers can be scored: a world, or a dataset with a reward that can judge its answers',
  offeredBy: ['world', 'dataset'],
  trainsOn: 'problems',
  rewards: 'needed',
  sources: (data, options) => ({
    prompts: prompts(data, options),
    guided: guided(data, options),
    reward: options.stack,
  }),
});
