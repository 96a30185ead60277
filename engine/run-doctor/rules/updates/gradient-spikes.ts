import { quantile } from '../../../evaluate/index.ts';
import * as remedy from '../../kernel/remedies.ts';
import { quantity, short, type Rule } from '../../kernel/rule.ts';

/** Steps before a spike that it is compared with. */
const before = 50;
/** A spike is this many times the median of those steps, and this far above it in robust deviations of ln ‖g‖. */
const ratio = 10;
const deviations = 8;
/** Median absolute deviation of a normal distribution, as a share of its standard deviation. */
const normalMad = 0.6745;

/** Single updates with a gradient far larger than those around it, which clipping only partly contains. */
export const gradientSpikes: Rule = {
  id: 'gradient-spikes',
  title: 'Gradient spikes',
  summary: 'The gradient norm of single steps is far above that of the steps before.',
  source: 'ZClip: spikes by z-score of recent gradient norms (arXiv:2504.02507)',
  reads: ['grad_norm'],
  find(evidence) {
    const { points, highs } = evidence.curve('grad_norm');
    const logs = points.map(({ value }) => Math.log(Math.max(value, 1e-12)));
    const spikes = highs.flatMap(({ step, value }, at) => {
      // a bucket's own largest value is compared with the steps before its bucket
      const recent = logs.slice(Math.max(0, at - before), at);
      if (recent.length < 10 || value <= 0) return [];
      const median = quantile(recent, 0.5);
      const spread =
        quantile(
          recent.map((x) => Math.abs(x - median)),
          0.5,
        ) / normalMad;
      const z = (Math.log(value) - median) / Math.max(spread, 0.05);
      return z > deviations && value > ratio * Math.exp(median)
        ? [{ step, value, median: Math.exp(median) }]
        : [];
    });
    if (spikes.length === 0) return null;
    const worst = spikes.reduce((a, b) => (b.value / b.median > a.value / a.median ? b : a));
    const { clipNorm } = evidence.spec.optimizer;
    const more = spikes.length > 1 ? `, and ${spikes.length - 1} other spikes` : '';
    return {
      severity: 'warning',
      text:
        `The gradient norm jumped to ${short(worst.value)} at step ${worst.step}, ${short(worst.value / worst.median)} ` +
        `times the median of the steps before${more}. Clipping to ${short(clipNorm)} keeps its direction: one ` +
        'batch decides that update.',
      observed: quantity('gradient norm', worst.value, `${short(worst.value)} at step ${worst.step}`),
      expected: quantity('median of the steps before', worst.median, short(worst.median)),
      step: worst.step,
      lastStep: spikes[spikes.length - 1].step,
      metric: 'grad_norm',
      remedies: [
        remedy.change(
          `Clip the gradient norm to ${short(Math.min(clipNorm, worst.median))}`,
          'optimizer.clipNorm',
          Number(Math.min(clipNorm, worst.median).toPrecision(2)),
        ),
        remedy.learningRate(evidence, 0.3),
      ],
    };
  },
};
