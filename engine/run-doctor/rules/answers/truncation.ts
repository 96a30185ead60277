import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Rule } from '../../kernel/rule.ts';

/** Share of answers that may hit the limit: their reward says nothing about the whole answer. */
const most = 0.2;
const nearlyAll = 0.9;
/** Rise of that share, or of right answers above those that were not cut, which is more than noise. */
const rise = 0.1;

/** Many answers are cut at the token limit. */
export const truncation: Rule = {
  id: 'truncation',
  title: 'Answers are cut off',
  summary: 'Many answers reach the token limit before they end, so that their reward is about a fragment.',
  source: 'Truncated samples add reward noise: DAPO (arXiv:2503.14476, section 3.4)',
  reads: ['completions/truncated', 'reward/verifier'],
  find(evidence) {
    const curve = evidence.curve('completions/truncated');
    const evaluated = evidence.evaluations.at(-1);
    const share = curve.last?.mean ?? evaluated?.truncated;
    if (share === undefined || !(share > most)) return null;
    const isTraining = curve.last !== null;
    // random weights end answers by chance: while they learn to, only a limit that cuts nearly all is at fault
    if (evidence.spec.models.policy.kind === 'new' && share < nearlyAll) return null;
    // of held-out answers only a rise tells, since the model may never have learned to end
    if (!isTraining && !(evidence.start && share > evidence.start.truncated + rise)) return null;
    // a verifier that accepts cut answers is content with the limit
    const right = isTraining ? evidence.curve('reward/verifier').last?.mean : evaluated?.passAt1;
    if (right !== undefined && right > Math.max(0.5, 1 - share + rise)) return null;
    const lastStep = curve.last?.to ?? evaluated?.step ?? 0;
    return {
      severity: share > 0.5 ? 'severe' : 'warning',
      text:
        `${percent(share)} of the ${isTraining ? 'training answers of the last steps' : 'held-out answers'} were ` +
        `cut at ${evidence.spec.sampling.maxTokens} tokens. They cannot be right, however good they were so far.`,
      observed: quantity('share of cut answers', share, percent(share)),
      expected: quantity('share of cut answers', most, `at most ${percent(most)}`),
      step: isTraining ? curve.since((value) => value > most) : lastStep,
      lastStep,
      metric: isTraining ? 'completions/truncated' : 'eval/completions/truncated',
      answers: {
        purpose: isTraining ? 'train' : 'evaluation',
        step: isTraining ? null : lastStep,
        promptId: null,
      },
      remedies: [remedy.longerAnswers(evidence)],
    };
  },
};
