import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { evaluationEvery, type EvaluationCost } from '../../../engine/common/evaluation-every.ts';

const grpo: EvaluationCost = {
  steps: 80,
  batch: 32,
  trainsOn: 'problems',
  groupSize: 8,
  problems: 200,
  samples: 8,
};

describe('the default for steps between evaluations', () => {
  it('is a share of a run that is long against its evaluation', () => {
    expect(evaluationEvery(grpo)).toBe(27);
    expect(evaluationEvery({ ...grpo, steps: 2000 })).toBe(200);
  });
  it('is 0, only at the end, where one more evaluation would cost a tenth of the training', () => {
    expect(evaluationEvery({ ...grpo, problems: 500 })).toBe(0);
    expect(evaluationEvery({ ...grpo, problems: 0 })).toBe(0);
    expect(evaluationEvery({ ...grpo, trainsOn: 'examples' })).toBe(0);
  });
  it('never adds more than nine evaluations, or a tenth of the training', () => {
    const size = (max: number) => fc.integer({ min: 1, max });
    const trainsOn = fc.constantFrom('examples', 'graded', 'pairs', 'problems');
    fc.assert(
      fc.property(
        fc.record({
          steps: size(10_000),
          batch: size(512),
          groupSize: size(32),
          problems: size(2000),
          samples: size(32),
          trainsOn,
        }),
        (cost) => {
          const every = evaluationEvery(cost);
          const added = every === 0 ? 0 : Math.floor((cost.steps - 1) / every);
          expect(added).toBeLessThanOrEqual(9);
          const answers = added * cost.problems * cost.samples;
          // no row costs more than two answers' training and scoring, or a sampled group
          const rows = cost.steps * cost.batch * Math.max(cost.groupSize, 2);
          expect(answers * 4).toBeLessThanOrEqual(0.1 * rows * 7);
        },
      ),
    );
  });
});
