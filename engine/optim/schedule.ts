import { WhetstoneError } from '../common/errors.ts';

export interface Schedule {
  readonly learningRate: number;
  readonly schedule: 'constant' | 'linear' | 'cosine';
  /** Updates over which the rate rises from 0 in equal steps; the first update already has 1/warmup of it. */
  readonly warmup: number;
}

/** Fraction of the peak learning rate after warm-up, by progress in [0, 1]. */
const shapes: Record<Schedule['schedule'], (progress: number) => number> = {
  constant: () => 1,
  linear: (progress) => 1 - progress,
  cosine: (progress) => 0.5 * (1 + Math.cos(Math.PI * progress)),
};

/**
 * Learning rate of update `step` (0 is the first) of a run of `steps` updates. Falling schedules reach 0 just
 * after the last update, so that no update has a rate of 0.
 */
export const learningRateAt = (
  { learningRate, schedule, warmup }: Schedule,
  step: number,
  steps: number,
): number => {
  if (!(step >= 0))
    throw new WhetstoneError('internal', `There is no update ${step}.`, { where: 'learning-rate schedule' });
  const rise = warmup > 0 ? Math.min(1, (step + 1) / warmup) : 1;
  const progress = steps > warmup ? Math.min(1, Math.max(0, (step - warmup) / (steps - warmup))) : 0;
  return learningRate * rise * shapes[schedule](progress);
};
