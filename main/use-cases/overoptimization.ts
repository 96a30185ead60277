import {
  bestOfN,
  deviation,
  mean,
  meanInterval,
  pressureFit,
  pressureGain,
  type PressureForm,
} from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { verifierAmong } from '../../engine/common/verifiers.ts';
import { readResult } from '../../engine/schema/results.ts';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { Overoptimization, PressureCurve } from '../../preload/contract/overoptimization.ts';
import type { Services } from '../services/services.ts';
import type { ScoredEvaluationAnswer } from '../store/evaluation-scores.ts';
import type { ProblemValues } from '../store/problem-values.ts';

type Store = Pick<Services, 'store'>['store'];
interface Evaluated {
  readonly runId: string;
  readonly attempt: number;
  readonly evaluation: PolicyEvaluation;
}

/** Segments of a fitted line that is drawn. */
const SEGMENTS = 60;

/** Evaluations of a run, the newest attempt's of each step, by step. */
async function evaluationsOf(store: Store, runId: string): Promise<Evaluated[]> {
  const newest = new Map<number, Evaluated>();
  for (const { kind, step, attempt, value } of await store.results.list(runId)) {
    if (kind !== 'evaluation' || (newest.get(step)?.attempt ?? -1) > attempt) continue;
    newest.set(step, { runId, attempt, evaluation: readResult('evaluation', value) });
  }
  return [...newest.values()].sort((a, b) => a.evaluation.step - b.evaluation.step);
}

/**
 * Gold reward of a run over √KL to its initial policy: of its evaluations, and of the best of n answers by the
 * proxy in its first evaluation, each with a fitted curve. `proxy`: a scorer of its evaluations. Throws
 * `not-found` for one that scored none.
 */
export async function overoptimization(
  { store }: { readonly store: Store },
  runId: string,
  proxy: string | null,
): Promise<Overoptimization> {
  await store.runs.get(runId);
  const evaluations = await evaluationsOf(store, runId);
  if (evaluations.length === 0)
    return { proxies: [], proxy: null, rl: null, bestOfN: null, notes: ['The run has no evaluation yet.'] };
  const [{ attempt, evaluation: first }] = evaluations;
  const answers = await store.evaluationScores.answers({ runId, attempt, step: first.step });
  const scorers = [...new Set(answers.flatMap(({ scores }) => Object.keys(scores)))];
  const gold = verifierAmong(scorers) ?? '';
  const proxies = scorers.filter((scorer) => scorer !== gold);
  if (proxy !== null && !proxies.includes(proxy))
    throw new WhetstoneError('not-found', `No answer of its evaluations has a score of '${proxy}'.`, {
      where: 'proxy',
      hint: proxies.length > 0 ? `It has: ${proxies.join(', ')}.` : 'Score the answers again with a reward.',
    });
  const chosen = proxy ?? proxies.at(0) ?? null;
  const notes: string[] = [];
  const named = { gold, proxy: chosen };
  const rl = await curveOfRun(store, { runId, evaluations, ...named }, notes);
  const best = curveOfBest(answers, named, notes);
  return {
    proxies,
    proxy: chosen,
    rl,
    bestOfN: best && { ...best, step: first.step },
    notes,
  };
}

/** The evaluation of the policy that the run began from: its own of step 0, or that of the run it continues. */
async function initialOf(store: Store, runId: string, evaluations: readonly Evaluated[]) {
  const own = evaluations.find(({ evaluation }) => evaluation.step === 0);
  if (own) return own;
  const compared = await store.runs.compared(runId);
  return compared && { ...compared.start };
}

/** A scorer's mean scores by problem; problems with an answer that it failed on are left out. */
const byProblem = ({ promptIds, scorers }: ProblemValues, scorer: string): Map<string, number> => {
  const means = scorers.find((each) => each.scorer === scorer)?.means ?? [];
  return new Map(
    promptIds.flatMap((id, at) => {
      const value = means.at(at) ?? null;
      return value === null ? [] : [[id, value] as const];
    }),
  );
};

/** Why a run has no curve; null if it has one. */
function missingOf(evaluations: readonly Evaluated[], initial: unknown): string | null {
  const later = evaluations.filter(({ evaluation }) => evaluation.step > 0);
  if (later.length === 0) return 'No evaluation after the first step yet.';
  if (later.every(({ evaluation }) => evaluation.kl === null))
    return 'The run began from random weights: there is no KL to an initial policy.';
  return initial ? null : 'The initial policy was not evaluated on these problems.';
}

/** Names of the scorers whose values are gold and proxy. */
interface Scorers {
  readonly gold: string;
  readonly proxy: string | null;
}

async function curveOfRun(
  store: Store,
  {
    runId,
    evaluations,
    gold,
    proxy,
  }: Scorers & { readonly runId: string; readonly evaluations: readonly Evaluated[] },
  notes: string[],
): Promise<PressureCurve | null> {
  const initial = await initialOf(store, runId, evaluations);
  const missing = missingOf(evaluations, initial);
  if (missing !== null || !initial) {
    notes.push(missing ?? '');
    return null;
  }
  const later = evaluations.filter(({ evaluation }) => evaluation.step > 0 && evaluation.kl !== null);
  const scores = await Promise.all(
    [initial, ...later].map(({ runId: id, attempt, evaluation }) =>
      store.samples.problemValues(id, attempt, evaluation.step),
    ),
  );
  const [before, ...after] = scores.map((each) => byProblem(each, gold));
  const shared = [...before.keys()].filter((promptId) => after.every((each) => each.has(promptId)));
  if (shared.length === 0) {
    notes.push('The verifier’s scores of the same problems are not stored for all evaluations.');
    return null;
  }
  const proxies = proxy === null ? null : scores.map((each) => byProblem(each, proxy));
  return curveOf('rl', {
    ats: later.map(({ evaluation }) => evaluation.step),
    distances: later.map(({ evaluation }) => Math.sqrt(Math.max(0, evaluation.kl ?? 0))),
    gains: shared.map((promptId) =>
      after.map((each) => (each.get(promptId) ?? 0) - (before.get(promptId) ?? 0)),
    ),
    proxies: later.map((_each, at) => proxies && gainOf(shared, proxies[0], proxies[at + 1])),
  });
}

/** Gain of the proxy in deviations over problems; null where a problem has none, or all have the same. */
function gainOf(
  problems: readonly string[],
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
): number | null {
  const pairs = problems.map((id) => [before.get(id), after.get(id)]);
  if (pairs.some(([first, last]) => first === undefined || last === undefined)) return null;
  const first = pairs.map(([value]) => Number(value));
  const spread = deviation(first);
  return spread > 0 ? (mean(pairs.map(([, value]) => Number(value))) - mean(first)) / spread : null;
}

/** Best of n of the answers to one evaluation; null without a proxy, or with too few answers. */
function curveOfBest(
  answers: readonly ScoredEvaluationAnswer[],
  { gold, proxy }: Scorers,
  notes: string[],
): PressureCurve | null {
  if (proxy === null) {
    notes.push('No reward but the verifier scored the answers: score them again with one to see best-of-n.');
    return null;
  }
  const complete = [...Map.groupBy(answers, ({ promptId }) => promptId).values()].filter((own) =>
    own.every(({ scores }) => typeof scores[gold] === 'number' && typeof scores[proxy] === 'number'),
  );
  const fewest = Math.min(...complete.map((own) => own.length));
  if (complete.length === 0 || fewest < 2) {
    notes.push('Best-of-n needs several answers to each problem, with scores of the verifier and the proxy.');
    return null;
  }
  const problems = complete.map((own) => ({
    gold: own.map(({ scores }) => Number(scores[gold])),
    proxy: own.map(({ scores }) => Number(scores[proxy])),
  }));
  const ns = sizesUpTo(fewest);
  const [one, ...more] = bestOfN(problems, [1, ...ns]);
  const spread = deviation(problems.flatMap((each) => each.proxy));
  return curveOf('best-of-n', {
    ats: ns,
    distances: more.map(({ kl }) => Math.sqrt(kl)),
    gains: problems.map((_problem, p) => more.map(({ gold }) => gold[p] - one.gold[p])),
    proxies: more.map((each) => (spread > 0 ? (mean(each.proxy) - mean(one.proxy)) / spread : null)),
  });
}

/** 2, 3, 4, 6, 8, 12, … up to the largest. */
function sizesUpTo(most: number): number[] {
  const sizes = new Set<number>();
  for (let power = 2; power <= most; power *= 2) {
    sizes.add(power);
    if (power * 1.5 <= most) sizes.add(power * 1.5);
  }
  sizes.add(most);
  return [...sizes].sort((a, b) => a - b);
}

interface Measured {
  readonly ats: readonly number[];
  readonly distances: readonly number[];
  /** By problem, then by point. */
  readonly gains: readonly (readonly number[])[];
  readonly proxies: readonly (number | null)[];
}

function curveOf(form: PressureForm, { ats, distances, gains, proxies }: Measured): PressureCurve {
  const fit = pressureFit(form, distances, gains);
  const longest = Math.max(...distances, 0);
  const end = fit?.peak ? Math.max(longest, Math.min(1.2 * fit.peak.distance, 2 * longest)) : longest;
  return {
    points: ats.map((at, i) => {
      const own = gains.map((each) => each[i]);
      return {
        at,
        distance: distances[i],
        gold: mean(own),
        goldInterval: meanInterval(own),
        proxy: proxies[i],
      };
    }),
    problems: gains.length,
    fit,
    line: fit
      ? Array.from({ length: SEGMENTS + 1 }, (_none, i) => {
          const distance = (end * i) / SEGMENTS;
          return { distance, gain: pressureGain(form, fit, distance) };
        })
      : [],
  };
}
