import { guided, prompts } from '../prompt-sources.ts';
import { defineTaskKind } from '../task-kind.ts';

/**
 * Prompts with scorable answers: `reward` is the run's reward stack. `guided` prompts include a right worked
 * answer.
 */
export const verifiable = defineTaskKind({
  kind: 'verifiable',
  title: 'answers scored during training',
  summary: 'prompts with scorable answers: a world, or a dataset with a reward that can score its answers',
  offeredBy: ['world', 'dataset'],
  trainsOn: 'problems',
  rewards: 'needed',
  sources: (data, options) => ({
    prompts: prompts(data, options),
    guided: guided(data, options),
    reward: options.stack,
  }),
});
