import {
  measureAnswers,
  measureSteps,
  suiteItems,
  type AnswersItem,
  type StepsItem,
} from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { StepScores } from '../../../engine/schema/inside.ts';
import type { SuiteKind, SuiteReport } from '../../../engine/schema/suite.ts';
import { judgeInput, judgePlace, type JudgeId, type JudgePlace } from '../../services/judge-place.ts';
import type { Services } from '../../services/services.ts';
import { patient, type Scored } from '../patient-score.ts';
import { workspaceSuite, type SuiteData } from './from-workspace.ts';
import { readSuite, type SuiteFile } from './read.ts';

/** Answers, and stepwise answers, scored by one call. */
const ANSWERS_AT_ONCE = 64;
const STEPWISE_AT_ONCE = 8;

export interface SuiteAsked {
  readonly from: JudgeId;
  /** A file, or data of the workspace: one of them. */
  readonly path?: string | undefined;
  readonly data?: SuiteData | undefined;
  readonly suite?: SuiteKind | undefined;
  readonly slice?: string | undefined;
  readonly threshold?: number | undefined;
}

interface Progress {
  readonly signal: AbortSignal;
  readonly push: (progress: { done: number; total: number }) => void;
}

/** Scores in portions, in their order. */
async function inPortions<T, S>(
  all: readonly T[],
  atOnce: number,
  score: (some: readonly T[]) => Promise<readonly (S | null)[]>,
  { signal, push }: Progress,
): Promise<(S | null)[]> {
  const scores: (S | null)[] = [];
  push({ done: 0, total: all.length });
  for (let at = 0; at < all.length; at += atOnce) {
    if (signal.aborted) throw new WhetstoneError('cancelled', 'The suite was cancelled; nothing was stored.');
    scores.push(...(await patient(score)(all.slice(at, at + atOnce))));
    push({ done: scores.length, total: all.length });
  }
  return scores;
}

async function answerScores(
  services: Services,
  place: JudgePlace,
  items: readonly AnswersItem[],
  progress: Progress,
): Promise<(number | null)[][]> {
  const answers = items.flatMap(({ prompt, answers: all }) =>
    all.map((completion): Scored => ({ prompt, completion })),
  );
  const scores = await inPortions<Scored, number | null>(
    answers,
    ANSWERS_AT_ONCE,
    (some) => services.engine.call('score', { ...judgeInput(place), items: [...some] }),
    progress,
  );
  let next = 0;
  return items.map(({ answers: all }) => scores.slice(next, (next += all.length)));
}

async function stepsScores(
  services: Services,
  place: JudgePlace,
  items: readonly StepsItem[],
  progress: Progress,
): Promise<StepScores[]> {
  const scores = await inPortions<StepsItem, StepScores>(
    items,
    STEPWISE_AT_ONCE,
    (some) =>
      services.engine.call('stepScores', {
        ...judgeInput(place),
        items: some.map(({ prompt, steps }) => ({ prompt, steps })),
      }),
    progress,
  );
  const by = scores.find((each) => each !== null)?.by ?? 'prefix';
  return scores.map((each, at) => each ?? { by, scores: items[at].steps.map(() => null) });
}

/** Name and run of a judge. */
async function nameOf({ store }: Services, { kind, id }: JudgeId, ref: string) {
  if (kind === 'model') return { name: (await store.models.get(id)).name, runId: null };
  const { runId, runName } = await store.checkpoints.get(ref);
  return { name: runName, runId };
}

/** Stores a report; returns its id. */
async function stored({ store }: Services, report: SuiteReport, runId: string | null): Promise<string> {
  const { results, ...summary } = report;
  const about = { kind: 'suite' as const, hash: report.judge.hash, runId, at: report.at };
  return await store.judgeReports.add(about, summary, { ...summary, results });
}

async function opened({ store }: Services, { path, data, suite }: SuiteAsked): Promise<SuiteFile> {
  if ((path === undefined) === (data === undefined))
    throw new WhetstoneError('invalid-input', 'A suite is either a file or data of the workspace.', {
      where: path === undefined ? 'path' : 'data',
      hint: 'Name one of them.',
    });
  if (data && suite !== undefined && suite !== 'gold')
    throw new WhetstoneError('invalid-input', 'Data of the workspace is a gold set.', {
      where: 'suite',
      hint: 'Leave out the suite, or give the file of a benchmark.',
    });
  return await (data ? workspaceSuite(store, data) : readSuite(path ?? ''));
}

/**
 * Scores the items of a file or of the workspace with a judge and stores the report: the id. Throws `not-found` without the judge or
 * the file, `invalid-input` for a file that is no suite, `cancelled`.
 */
export async function runSuite(services: Services, asked: SuiteAsked, progress: Progress): Promise<string> {
  const place = await judgePlace(services, asked.from);
  const { name, runId } = await nameOf(services, asked.from, place.ref);
  const { file, fileHash, records, report, data } = await opened(services, asked);
  if (report) return await stored(services, report, report.judge.hash === place.hash ? runId : null);
  const found = suiteItems(records, { kind: data ? 'gold' : asked.suite, slice: asked.slice });
  const measured =
    found.kind === 'processbench'
      ? measureSteps(
          found.items,
          await stepsScores(services, place, found.items, progress),
          asked.threshold ?? null,
        )
      : {
          ...measureAnswers(
            found.kind,
            found.items,
            await answerScores(services, place, found.items, progress),
          ),
          steps: null,
        };
  const made: SuiteReport = {
    format: 'whetstone-suite-1',
    suite: found.kind,
    file,
    fileHash,
    ...(data && { data }),
    judge: { name, hash: place.hash },
    at: Date.now(),
    items: found.items.length,
    ...measured,
  };
  return await stored(services, made, runId);
}
