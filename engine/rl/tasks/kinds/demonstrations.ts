import { demonstrations as source } from '../answer-sources.ts';
import { defineTaskKind, nonEmpty } from '../task-kind.ts';

/** Demonstrations for supervised fine-tuning. */
export const demonstrations = defineTaskKind({
  kind: 'demonstrations',
  title: 'demonstrations',
  summary: 'demonstrations: a world, or a dataset of prompts and answers',
  offeredBy: ['world', 'dataset'],
  trainsOn: 'examples',
  rewards: 'optional',
  sources: (data, options) => ({
    demonstrations: source(nonEmpty(data.examples, 'demonstrations', data), options),
  }),
});
