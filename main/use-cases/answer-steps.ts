import { splitSteps, stepRanges, type StepRange } from '../../engine/common/answer-steps.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { firstWrongStep } from '../../engine/common/first-wrong-step.ts';
import { usualThreshold } from '../../engine/index.ts';
import { SuiteSummary } from '../../engine/schema/suite.ts';
import type { AnswerSteps, StepwiseAnswer } from '../../preload/contract/inside.ts';
import { judgeInput, judgePlace, type JudgeId } from '../services/judge-place.ts';
import type { Services } from '../services/services.ts';
import { suiteItem } from './suites/reports.ts';

/** Most steps of an answer: each costs a pass over the answer up to its end. */
const MOST_STEPS = 512;

type Used = Pick<Services, 'store' | 'engine' | 'folder'>;
type Label = AnswerSteps['labels'][number];
type Threshold = Pick<AnswerSteps, 'threshold' | 'thresholdBy'>;
type ReportSteps = { readonly threshold: number; readonly by: AnswerSteps['by'] };

/** The text of an answer, its steps as offsets in it, and its labels. */
interface Answer {
  readonly prompt: string;
  readonly completion: string;
  readonly ranges: readonly StepRange[];
  readonly labels: readonly Label[];
  /** The report that it is an item of. */
  readonly report: { readonly hash: string; readonly steps: ReportSteps | null } | null;
}

/** Index of the step in which a wrong step of other offsets begins. */
const stepAtOffset = (ranges: readonly StepRange[], offset: number): number =>
  Math.max(
    0,
    ranges.findLastIndex(([start]) => start <= offset),
  );

/** An answer with its labels of correctness; the newest one decides where steps end. */
async function labeledAnswer({ store }: Used, prompt: string, completion: string): Promise<Answer> {
  const found = await store.judgedAnswers.of(prompt, completion);
  const split = completion.trim() === '' ? [] : stepRanges(splitSteps(completion));
  const ranges = found.at(0)?.steps ?? split;
  const labels = found.map(({ source, labeler, correct, firstWrong, steps }): Label => {
    if (correct) return { source, labeler, firstWrong: -1 };
    const own = firstWrong === null ? undefined : steps[firstWrong];
    return { source, labeler, firstWrong: own ? stepAtOffset(ranges, own[0]) : null };
  });
  return { prompt, completion, ranges, labels, report: null };
}

async function answerOf(services: Used, answer: StepwiseAnswer): Promise<Answer> {
  if ('prompt' in answer) return await labeledAnswer(services, answer.prompt, answer.completion);
  const { reportId: id, position } = answer;
  const { report, label, ...item } = await suiteItem(services, { id, position });
  const own = { source: report.file, labeler: '', firstWrong: label };
  const { labels } = await labeledAnswer(services, item.prompt, item.completion);
  return { ...item, labels: [own, ...labels], report: { hash: report.judge.hash, steps: report.steps } };
}

/** The threshold of the report about this judge that was asked about, else of the newest one of ProcessBench. */
async function reportThreshold({ store }: Used, hash: string, report: Answer['report']) {
  if (report?.steps && report.hash === hash) return report.steps;
  const reports = (await store.judgeReports.list('suite')).filter((each) => each.hash === hash);
  for (const { summary } of reports) {
    const { steps } = SuiteSummary.parse(summary);
    if (steps) return steps;
  }
  return null;
}

function thresholdOf(
  by: AnswerSteps['by'],
  chosen: number | undefined,
  reported: ReportSteps | null,
): Threshold {
  if (chosen !== undefined) return { threshold: chosen, thresholdBy: 'chosen' };
  if (reported?.by === by) return { threshold: reported.threshold, thresholdBy: 'report' };
  return by === 'head'
    ? { threshold: usualThreshold, thresholdBy: 'half' }
    : { threshold: null, thresholdBy: null };
}

const difference = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? null : a - b;

/**
 * Scores of the steps of an answer by a judge, the first wrong step by the rule of ProcessBench, and the labels that
 * the answer has. Throws `not-found` without the judge or the item, `invalid-input` for more than 512 steps.
 */
export async function stepsOfAnswer(
  services: Used,
  asked: {
    readonly from: JudgeId;
    readonly answer: StepwiseAnswer;
    readonly threshold?: number | undefined;
  },
): Promise<AnswerSteps> {
  const { prompt, completion, ranges, labels, report } = await answerOf(services, asked.answer);
  if (ranges.length > MOST_STEPS)
    throw new WhetstoneError('invalid-input', `The answer has ${ranges.length} steps; 512 are scored.`, {
      where: 'completion',
      hint: 'Choose a shorter answer.',
    });
  const place = await judgePlace(services, asked.from);
  const { prefix, head } = await services.engine.call('answerSteps', {
    ...judgeInput(place),
    prompt,
    completion,
    ranges,
  });
  const by = head ? 'head' : 'prefix';
  const scores = head ?? prefix;
  const limit = thresholdOf(by, asked.threshold, await reportThreshold(services, place.hash, report));
  return {
    prompt,
    completion,
    by,
    steps: ranges.map(([start, end], at) => ({
      text: completion.slice(start, end),
      prefix: prefix[at],
      head: head?.[at] ?? null,
      drop: difference(at === 0 ? null : scores[at - 1], scores[at]),
    })),
    ...limit,
    firstWrong: limit.threshold === null ? null : firstWrongStep(scores, limit.threshold),
    labels: [...labels],
  };
}
