import type { Wordings } from '../../../common/wordings.ts';
import { prompts } from '../prompt-sources.ts';
import { defineTaskKind } from '../task-kind.ts';

/** Of a stub without a world, which is never run. */
const noWordings: Wordings = {
  kinds: [],
  say: () => null,
  kindsOf: () => [],
  answer: () => null,
};

/**
 * Prompts of a world of instructions, and how they can be said otherwise; `scores` are recorded with the
 * answers.
 */
export const instructions = defineTaskKind({
  kind: 'instructions',
  title: 'instructions',
  summary: 'instructions that can be said in several ways: a world that has them',
  offeredBy: ['world'],
  offeredByWorld: ({ wordings }) => wordings !== undefined,
  trainsOn: 'problems',
  rewards: 'recorded',
  sources: (data, options) => ({
    prompts: prompts(data, options),
    wordings: data.world?.wordings ?? noWordings,
    scores: options.stack,
  }),
});
