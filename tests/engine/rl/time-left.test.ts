import { describe, expect, it } from 'vitest';
import { TimeLeft, type Plan, type Pausing } from '../../../engine/rl/run/time-left.ts';

const plan = (own: Partial<Plan> = {}): Plan => ({
  steps: 80,
  every: { evaluating: 10, saving: 0 },
  has: { evaluating: true, saving: true },
  ...own,
});

/**
 * A known schedule: seconds of a step, of an evaluation and of a checkpoint. Returns the predicted and the
 * actual time after each of its parts.
 */
function played(
  { steps, every }: Plan,
  seconds: { step: number; evaluating: number; saving: number },
  left: TimeLeft,
) {
  const parts: { step: number; kind: 'step' | Pausing }[] = [];
  for (let step = 1; step <= steps; step++) {
    parts.push({ step, kind: 'step' });
    if (step === steps) parts.push({ step, kind: 'evaluating' }, { step, kind: 'saving' });
    else
      for (const kind of ['evaluating', 'saving'] as const)
        if (every[kind] > 0 && step % every[kind] === 0) parts.push({ step, kind });
  }
  return parts.map(({ step, kind }, at) => {
    if (kind === 'step') left.stepped(seconds.step);
    else left.took(kind, seconds[kind]);
    const truth = parts.slice(at + 1).reduce((sum, later) => sum + seconds[later.kind], 0);
    return { step, kind, truth, predicted: left.after(step, kind === 'step' ? undefined : kind) };
  });
}

describe('the time left of a run', () => {
  it('includes every evaluation and checkpoint to come, once one of each was measured', () => {
    for (const every of [
      { evaluating: 10, saving: 0 },
      { evaluating: 10, saving: 20 },
      { evaluating: 0, saving: 7 },
      { evaluating: 16, saving: 16 },
    ]) {
      const left = new TimeLeft(plan({ every, guess: { evaluating: 30, saving: 4 } }));
      for (const { kind, step, truth, predicted } of played(
        plan({ every }),
        { step: 0.2, evaluating: 30, saving: 4 },
        left,
      )) {
        // between the end of a step and the evaluation that follows it, that evaluation is still to come
        const isJustBefore =
          kind === 'step' &&
          step < 80 &&
          (['evaluating', 'saving'] as const).some((each) => every[each] > 0 && step % every[each] === 0);
        if (!isJustBefore)
          expect(predicted.seconds, `${JSON.stringify(every)}: after ${kind} ${step}`).toBeCloseTo(truth, 6);
        expect(predicted.untimed).toEqual([]);
      }
    }
  });

  it('states what it leaves out while none of it has been measured', () => {
    const left = new TimeLeft(plan({ guess: { saving: 2 } }));
    left.stepped(1);
    expect(left.after(1)).toEqual({ seconds: 79 + 2, untimed: ['evaluating'] });
    left.took('evaluating', 5);
    // seven between the steps, and the final one
    expect(left.after(1)).toEqual({ seconds: 79 + 2 + 8 * 5, untimed: [] });
    expect(left.after(10, 'evaluating')).toEqual({ seconds: 70 + 2 + 7 * 5, untimed: [] });
  });

  it('counts later evaluations by the first one while that goes on', () => {
    const left = new TimeLeft(plan({ guess: { saving: 2 } }));
    left.stepped(1);
    expect(left.after(10, 'evaluating', 6)).toEqual({ seconds: 70 + 2 + 7 * 6, untimed: [] });
    left.took('evaluating', 5);
    expect(left.after(20, 'evaluating', 6).seconds).toBe(60 + 2 + 6 * 5);
  });

  it('is unknown before the first step, and uses the median step time, because the first steps also compile', () => {
    const left = new TimeLeft(
      plan({ every: { evaluating: 0, saving: 0 }, has: { evaluating: false, saving: false } }),
    );
    expect(left.after(0).seconds).toBeNull();
    for (const seconds of [30, 1, 1, 1, 2]) left.stepped(seconds);
    expect(left.after(5).seconds).toBe(75);
    expect(left.after(80).seconds).toBe(0);
  });
});
