import { setTimeout } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { pause } from '../../../engine/pace/index.ts';
import { percent, RunProgress } from '../../../engine/rl/run/run-progress.ts';
import { recorder } from '../../support/toy-run.ts';

/** Half a phase, for long enough that its rest can be extrapolated. */
const half = async () => {
  await setTimeout(600);
  await pause(0.5);
};
const plan = {
  steps: 80,
  every: { evaluating: 10, saving: 0 },
  has: { evaluating: true, saving: true },
  guess: { saving: 0 },
};
const secondsLeft = ({ seen }: ReturnType<typeof recorder>): (number | null)[] =>
  seen.flatMap((event) => (event.type === 'progress' ? [event.secondsLeft] : []));

describe('the time left of a run', () => {
  test('is unknown before the run is open, and before its first step has ended', async () => {
    const told = recorder();
    let step = 0;
    const progress = new RunProgress(told.events, () => ({ step }));
    await progress.during('estimating', percent, half);
    progress.plan(plan);
    step = 20;
    // of a resumed run
    await progress.within('learning', async () => {
      await setTimeout(1200);
      await pause(0.9);
    });
    expect(secondsLeft(told).length).toBeGreaterThan(2);
    expect(secondsLeft(told).every((seconds) => seconds === null)).toBe(true);
  });

  test('includes, during the first evaluation, the steps and evaluations after it', async () => {
    const told = recorder();
    const progress = new RunProgress(told.events, () => ({ step: 10 }));
    progress.plan(plan);
    await progress.stepped('training', 2, 80);
    await progress.during('evaluating', percent, half, 'evaluating');
    const left = secondsLeft(told).at(-1) ?? 0;
    expect(left, '70 steps of 2 s and 7 evaluations of about 1.2 s').toBeGreaterThan(70 * 2 + 7 * 0.9);
  });
});
