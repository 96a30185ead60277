import { heldoutPrompts, prompts as source } from '../prompt-sources.ts';
import { defineTaskKind } from '../task-kind.ts';

/** Prompts only, of training or `heldout`; `scores` are recorded with the answers. */
export const prompts = defineTaskKind({
  kind: 'prompts',
  title: 'prompts alone',
  summary: 'prompts: a world, a dataset or labels',
  offeredBy: ['world', 'dataset', 'labels'],
  trainsOn: 'problems',
  rewards: 'recorded',
  sources: (data, options) => ({
    prompts: source(data, options),
    heldout: heldoutPrompts(data, options),
    scores: options.stack,
  }),
});
