import { WhetstoneError } from '../../../../engine/common/errors.ts';
import type { AnswerSteps, StepwiseAnswer } from '../../../../preload/contract/inside.ts';
import type { WhetstoneClient } from '../../../../preload/contract/index.ts';
import type { Line } from '../../../charts/series.ts';
import { HUES, markOf } from '../../../lib/run-colors.svelte.ts';

export type ScoredStep = AnswerSteps['steps'][number];

/** The name of a first wrong step, counted from 1. */
export const stepName = (firstWrong: number): string => (firstWrong < 0 ? 'none' : `step ${firstWrong + 1}`);

/** The score that decides about a step. */
export const decidingScore = ({ by }: Pick<AnswerSteps, 'by'>, step: ScoredStep): number | null =>
  by === 'head' ? step.head : step.prefix;

/** Lines over the numbers of the steps: prefixes, the head of a judge of steps, and the threshold. */
export function stepLines({ by, steps, threshold }: AnswerSteps): Line[] {
  const line = (
    id: string,
    label: string,
    index: number,
    value: (step: ScoredStep) => number | null,
  ): Line => ({
    id,
    label,
    mark: markOf(index),
    steps: Float64Array.from(steps, (_step, at) => at + 1),
    values: Float64Array.from(steps, (step) => value(step) ?? Number.NaN),
  });
  return [
    line('prefix', 'prefix', 0, ({ prefix }) => prefix),
    ...(by === 'head' ? [line('head', 'judge of steps', 1, ({ head }) => head)] : []),
    ...(threshold === null ? [] : [line('threshold', 'threshold', HUES + 2, () => threshold)]),
  ];
}

const reasons: Readonly<Record<NonNullable<AnswerSteps['thresholdBy']>, string>> = {
  chosen: 'as chosen',
  report: 'of this judge’s report of ProcessBench',
  half: 'one half, since the judge has no report of ProcessBench',
};

/** A sentence on the first wrong step by the judge. */
export function judgeSentence({ firstWrong, threshold, thresholdBy }: AnswerSteps, text: string): string {
  if (threshold === null || thresholdBy === null)
    return 'No threshold: run ProcessBench with this judge, or enter one.';
  const first = firstWrong === null ? 'unknown, since a step has no score' : stepName(firstWrong);
  return `First wrong step by the judge: ${first}. Threshold ${text}, ${reasons[thresholdBy]}.`;
}

/** Sentences on the labels of an answer, each with its agreement with the judge. */
export const labelSentences = ({ firstWrong, labels }: AnswerSteps): string[] =>
  labels.map(({ source, labeler, firstWrong: labeled }) => {
    const by = `“${source}”${labeler === '' ? '' : ` (${labeler})`}`;
    if (labeled === null) return `By ${by} the answer is wrong; no step is named.`;
    const verdict =
      firstWrong === null ? '' : firstWrong === labeled ? ', as the judge says' : ', unlike the judge';
    return `First wrong step by ${by}: ${stepName(labeled)}${verdict}.`;
  });

/** The threshold that is typed; null without one. */
export const typedThreshold = (text: string): number | null => (text.trim() === '' ? null : Number(text));

/** Scores of the steps of one answer. */
export class StepsState {
  /** A threshold as it is typed; empty for that of the judge. */
  threshold = $state('');
  found = $state.raw<AnswerSteps | null>(null);
  busy = $state(false);
  error = $state.raw<WhetstoneError | null>(null);
  /** The question that the result answers. */
  answered = $state('');
  private readonly runId: string;
  private readonly client: Pick<WhetstoneClient, 'inside'>;
  private asked = '';

  constructor(runId: string, client: Pick<WhetstoneClient, 'inside'>) {
    [this.runId, this.client] = [runId, client];
  }

  get isReady(): boolean {
    return Number.isFinite(typedThreshold(this.threshold) ?? 0);
  }

  /** The question about an answer, with the threshold. */
  questionOf(answer: StepwiseAnswer): string {
    return JSON.stringify([answer, this.threshold.trim()]);
  }

  /** Scores the steps of an answer; a result that was overtaken by another question is dropped. */
  async look(answer: StepwiseAnswer): Promise<void> {
    const question = this.questionOf(answer);
    const threshold = typedThreshold(this.threshold);
    this.asked = question;
    this.busy = true;
    this.error = null;
    try {
      const from = { kind: 'run' as const, id: this.runId };
      const found = await this.client.inside.steps({
        from,
        answer,
        ...(threshold !== null && { threshold }),
      });
      if (question === this.asked) [this.found, this.answered] = [found, question];
    } catch (error) {
      if (question === this.asked) [this.found, this.error] = [null, WhetstoneError.from(error)];
    } finally {
      if (question === this.asked) this.busy = false;
    }
  }
}
