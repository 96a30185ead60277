import * as remedy from '../../kernel/remedies.ts';
import { percent, quantity, type Rule } from '../../kernel/rule.ts';

/** Share of clipped tokens above which most of a batch no longer contributes where it should. */
const most = 0.2;

/** Many tokens are outside the trust region, where the clipped objective has no gradient. */
export const clipShare: Rule = {
  id: 'clip-share',
  title: 'Many tokens are clipped',
  summary: 'A large share of tokens is outside the clip bounds.',
  source: 'Schulman et al. 2017, equation 7: outside the bounds the gradient is 0 (arXiv:1707.06347)',
  reads: ['clip_ratio/low', 'clip_ratio/high'],
  find(evidence) {
    const [low, high] = ['clip_ratio/low', 'clip_ratio/high'].map((name) => evidence.curve(name));
    if (!low.last || !high.last) return null;
    const share = low.last.mean + high.last.mean;
    if (!(share > most)) return null;
    const side = high.last.mean >= low.last.mean ? high : low;
    const bound = evidence.param('clip') ?? evidence.param('clipHigh') ?? 0.2;
    const within =
      'clip' in evidence.spec.method.params
        ? remedy.param(evidence, 'clip', 0.2, 'Clip at 0.2')
        : remedy.param(evidence, 'clipHigh', 0.28, 'Upper clip bound 0.28');
    return {
      severity: 'warning',
      text:
        `${percent(share)} of the tokens of the last steps were clipped (${percent(low.last.mean)} below, ` +
        `${percent(high.last.mean)} above the bounds). ${
          bound < 0.05
            ? 'The bounds are so narrow that ordinary updates leave them.'
            : 'Updates leave the trust region: they are too large, or too many over the same answers.'
        }`,
      observed: quantity('share of clipped tokens', share, percent(share)),
      expected: quantity('share of clipped tokens', most, `at most ${percent(most)}`),
      step: side.since((value) => value > most / 2),
      lastStep: side.last?.to ?? side.lastStep,
      metric: side.name,
      remedies: [
        ...(bound < 0.05 ? within : []),
        ...remedy.oneEpoch(evidence),
        remedy.learningRate(evidence, 0.3),
      ],
    };
  },
};
