import { answers as source, steps } from '../answer-sources.ts';
import { defineTaskKind, nonEmpty } from '../task-kind.ts';

/**
 * Stored answers, right and wrong. `steps` marks their worked steps; `reward` is the run's reward stack (if
 * it is empty, `label` is the stored verdict).
 */
export const answers = defineTaskKind({
  kind: 'answers',
  title: 'stored answers, right and wrong',
  summary: 'answers marked right or wrong: a world, a dataset with a column of verdicts, or labels',
  offeredBy: ['world', 'dataset', 'labels'],
  trainsOn: 'graded',
  rewards: 'optional',
  sources: (data, options) => {
    const graded = nonEmpty(data.graded, 'answers marked right or wrong', data);
    return {
      answers: source(graded, options),
      steps: steps(graded, options, data.name),
      reward: options.stack,
    };
  },
});
