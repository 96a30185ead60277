import { frames } from '../../../common/frames.ts';
import { prompts } from '../prompt-sources.ts';
import { defineTaskKind } from '../task-kind.ts';

/**
 * Prompts that can be asked in several ways: by the wordings of their world, or by other text around them.
 * `scores` are recorded with the answers, and tell which of them failed.
 */
export const instructions = defineTaskKind({
  kind: 'instructions',
  title: 'prompts asked in several ways',
  summary:
    'prompts that can be asked in several ways, with a verifier: a world, or a dataset with references',
  offeredBy: ['world', 'dataset'],
  trainsOn: 'problems',
  rewards: 'needed',
  sources: (data, options) => ({
    prompts: prompts(data, options),
    wordings: data.world?.wordings ?? frames,
    scores: options.stack,
  }),
});
