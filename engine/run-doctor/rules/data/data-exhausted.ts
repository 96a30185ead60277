import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Evidence, type Rule } from '../../kernel/rule.ts';

/** Epochs after which repeated rows teach no more; answers to repeated prompts are new, and last longer. */
const mostEpochs = 16;
const mostEpochsOfPrompts = 50;

const samples = (evidence: Evidence): boolean => evidence.curve('completions/mean_length').isLong;

/** Few rows, seen again and again. */
export const dataExhausted: Rule = {
  id: 'data-exhausted',
  title: 'The data is exhausted',
  summary: 'The run has gone over its rows more often than repetition helps.',
  source: 'Muennighoff et al. 2023: repeating helps for about 4 epochs, and not past 16 (arXiv:2305.16264)',
  reads: ['completions/mean_length'],
  find(evidence) {
    const { trainingRows, lastStep, spec } = evidence;
    if (trainingRows === null || trainingRows < 1 || lastStep < 1) return null;
    // every epoch over the same answers is an update of its own
    const draws = samples(evidence) ? lastStep / Math.max(1, evidence.param('epochs') ?? 1) : lastStep;
    const epochs = (draws * spec.budget.batch) / trainingRows;
    const most = samples(evidence) ? mostEpochsOfPrompts : mostEpochs;
    if (!(epochs > most)) return null;
    const enough = Math.max(1, Math.floor((most * lastStep) / epochs));
    return {
      severity: 'warning',
      text:
        `${trainingRows} ${samples(evidence) ? 'prompts' : 'rows'} were seen ${short(epochs)} times each. After ` +
        `${most} epochs (step ${enough}) repetition adds memory, not skill.`,
      observed: quantity('epochs', epochs, `${short(epochs)} epochs over ${trainingRows} rows`),
      expected: quantity('epochs', most, `at most ${most}`),
      step: enough,
      lastStep,
      metric: 'loss',
      remedies: [remedy.steps(enough)],
    };
  },
};
