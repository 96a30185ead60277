import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import { NumberEntry } from '../../../lib/number-entry.svelte.ts';
import { secondRoundOf, type SecondRound } from './distil-plan.ts';

const whole = { integer: true, low: 1 };

/** The numbers of a second round while they are typed. */
export class SecondRoundForm {
  readonly prompts: NumberEntry;
  readonly answers: NumberEntry;
  readonly percent: NumberEntry;
  readonly passes: NumberEntry;
  readonly learningRate: NumberEntry;
  readonly steps: NumberEntry;
  readonly temperature: NumberEntry;
  readonly groupSize: NumberEntry;
  withControl = $state(false);

  constructor(spec: RunSpec) {
    const usual = secondRoundOf(spec);
    this.prompts = new NumberEntry(usual.prompts, { ...whole, high: 1_000_000 });
    this.answers = new NumberEntry(usual.answers, { ...whole, high: 256 });
    this.percent = new NumberEntry(100 * usual.share, { low: 1, high: 100 });
    this.passes = new NumberEntry(usual.passes, { low: 0.1, high: 1000 });
    this.learningRate = new NumberEntry(usual.learningRate, { low: 0, high: 10 });
    this.steps = new NumberEntry(usual.steps, { ...whole, high: 1_000_000 });
    this.temperature = new NumberEntry(usual.temperature, { low: 0.01, high: 5 });
    this.groupSize = new NumberEntry(usual.groupSize, { ...whole, high: 256 });
  }

  /** The numbers; null while one of them is not valid. */
  get round(): SecondRound | null {
    const { prompts, answers, percent, passes, learningRate, steps, temperature, groupSize, withControl } =
      this;
    const values = {
      prompts: prompts.value,
      answers: answers.value,
      share: percent.value === null ? null : percent.value / 100,
      passes: passes.value,
      learningRate: learningRate.value,
      steps: steps.value,
      temperature: temperature.value,
      groupSize: groupSize.value,
    };
    const isValid = Object.values(values).every((value) => value !== null);
    return isValid ? ({ ...values, withControl } as SecondRound) : null;
  }
}
