import {
  cohenAgreement,
  driftOf,
  fleissAgreement,
  goldAgreement,
  krippendorffAgreement,
  paceOf,
  positionBias,
  wilson,
  type DawidSkeneFit,
} from '../../engine/index.ts';
import type { Drift, LabelerQuality, QualityReport, Rate } from '../../preload/contract/quality.ts';
import { byItem, categoryOf, factsOf, reliabilityOf, settleConsensus } from '../services/label-consensus.ts';
import type { StoreClient } from '../store/client.ts';
import type { LabelFact, RepeatFact } from '../store/labels/label-quality.ts';

type Facts = Awaited<ReturnType<typeof factsOf>>;
type Items = readonly (readonly LabelFact[])[];

/** Items drawn by all replicates of a bootstrap together: as many replicates as they allow, 200 to 2,000. */
const DRAWS = 4_000_000;
const replicatesOf = (items: number, times = 1): number =>
  Math.round(Math.min(2000, Math.max(200, DRAWS / Math.max(1, items * times))));
/** Fewest values of a drift. */
const DRIFT_FROM = 20;
/** Longer decisions count as pauses, in seconds. */
const PAUSE = 300;

const pauseForOthers = (): Promise<void> => new Promise((done) => void setImmediate(done));

/** Agreement of decisions on repeats with the decisions that they repeat, skips left out. */
export const selfAgreementOf = (repeats: readonly RepeatFact[]): Rate => {
  const cases = repeats.filter(({ first, again }) => first !== 'skip' && again !== 'skip');
  const same = cases.filter(({ first, again }) => first === again).length;
  const n = cases.length;
  return { rate: n === 0 ? null : same / n, interval: wilson(same, n), n };
};

/** Mean agreement of each label with those of the other labelers of its item, in the order of the labels. */
function agreements(own: readonly LabelFact[], items: ReadonlyMap<string, readonly LabelFact[]>): number[] {
  return own.flatMap((fact) => {
    const others = (items.get(fact.pairId) ?? []).filter(({ labeler }) => labeler !== fact.labeler);
    if (others.length === 0 || fact.verdict === 'skip') return [];
    return [others.filter((other) => categoryOf(other) === categoryOf(fact)).length / others.length];
  });
}

const driftIn = (measure: Drift['measure'], values: readonly number[]): Drift[] => {
  if (values.length < DRIFT_FROM) return [];
  const { blocks, per100, interval, drifts } = driftOf(values, 5, {
    replicates: replicatesOf(values.length),
  });
  return [{ measure, blocks: [...blocks], per100, interval, drifts }];
};

function qualityOf(
  labeler: string,
  facts: Facts,
  items: ReadonlyMap<string, readonly LabelFact[]>,
  fit: DawidSkeneFit | null,
): LabelerQuality {
  const own = facts.labels.filter((each) => each.labeler === labeler);
  const sided = own.filter(({ value, verdict }) => value === null && (verdict === 'a' || verdict === 'b'));
  const pace = paceOf(
    own.map(({ at }) => at).sort((a, b) => a - b),
    PAUSE,
  );
  const { left, interval, n, biased } = positionBias(sided.map(({ isLeft }) => (isLeft ? 'left' : 'right')));
  const gold = goldAgreement(
    own.flatMap((fact) => {
      const label = categoryOf(fact);
      return label === null ? [] : [{ item: fact.pairId, label }];
    }),
    new Map(facts.gold.map(({ pairId, verdict }) => [pairId, verdict])),
  );
  const seconds = own.flatMap((each) =>
    each.seconds !== null && each.seconds <= PAUSE ? [each.seconds] : [],
  );
  return {
    labeler,
    labeled: own.length,
    decided: own.filter(({ verdict }) => verdict === 'a' || verdict === 'b').length,
    pace: pace && { median: pace.median, low: pace.low, high: pace.high, sittings: pace.sittings },
    left: { rate: left, interval, n, biased },
    self: selfAgreementOf(facts.repeats.filter((each) => each.labeler === labeler)),
    gold: { rate: gold.rate, interval: gold.interval, n: gold.n },
    drifts: [...driftIn('seconds', seconds), ...driftIn('agreement', agreements(own, items))],
    reliability: fit?.labelers.find((each) => each.labeler === labeler)?.reliability ?? null,
  };
}

/** Cohen's kappa of each two labelers who share items. */
async function kappas(labelers: readonly string[], shared: Items): Promise<QualityReport['pairs']> {
  const couples = labelers.flatMap((one, at) => labelers.slice(at + 1).map((other) => ({ one, other })));
  const found: QualityReport['pairs'] = [];
  for (const { one, other } of couples) {
    const both = shared.flatMap((labels) => {
      const [a, b] = [one, other].map((name) => labels.find(({ labeler }) => labeler === name));
      return a && b ? [[categoryOf(a) ?? '', categoryOf(b) ?? ''] as const] : [];
    });
    if (both.length === 0) continue;
    const kappa = cohenAgreement(
      both.map(([a]) => a),
      both.map(([, b]) => b),
      { replicates: replicatesOf(both.length, couples.length) },
    );
    found.push({ one, other, kappa });
    await pauseForOthers();
  }
  return found;
}

/** Fleiss' kappa over the items that the most frequent number of labelers decided. */
function fleissOf(shared: Items): QualityReport['fleiss'] {
  const counts = Map.groupBy(shared, ({ length }) => length);
  const most = [...counts].sort(([m, a], [n, b]) => b.length - a.length || n - m).at(0);
  if (!most) return null;
  const [raters, items] = most;
  const categories = [...new Set(items.flat().map(categoryOf))];
  const table = items.map((labels) =>
    categories.map((name) => labels.filter((each) => categoryOf(each) === name).length),
  );
  return { ...fleissAgreement(table, { replicates: replicatesOf(items.length) }), raters };
}

function alphaOf(labelers: readonly string[], shared: Items): QualityReport['alpha'] {
  if (shared.length === 0) return null;
  const ratings = labelers.map((name) =>
    shared.map((labels) => {
      const own = labels.find(({ labeler }) => labeler === name);
      return own ? categoryOf(own) : null;
    }),
  );
  return krippendorffAgreement(ratings, 'nominal', { replicates: replicatesOf(shared.length) });
}

interface Judged {
  readonly correct: boolean;
  readonly firstWrong?: number;
  readonly steps: readonly (readonly [number, number])[];
}
const judgedIn = (value: string | null): Judged => JSON.parse(value ?? '{}') as Judged;

/** The place of the first wrong step in the answer, which labelers may have divided in other steps. */
const stepOf = ({ firstWrong = 0, steps }: Judged): string => JSON.stringify(steps[firstWrong]);

/** Labels of correctness as they are compared: by whether the answer is correct, without the wrong step. */
const withoutSteps = (labels: Facts['labels']): Facts['labels'] =>
  labels.map((each) =>
    each.value === null ? each : { ...each, value: String(judgedIn(each.value).correct) },
  );

/**
 * Exact agreement on the first wrong step: of the items that at least two labelers call incorrect, each with a
 * step, the share in which all of them name the same one.
 */
export function stepAgreementOf(labels: Facts['labels']): Rate {
  const named = labels
    .filter(({ verdict }) => verdict !== 'skip')
    .map(({ pairId, value }) => ({ pairId, judged: judgedIn(value) }))
    .filter(({ judged }) => !judged.correct && judged.firstWrong !== undefined);
  const items = Map.groupBy(named, ({ pairId }) => pairId)
    .values()
    .filter(({ length }) => length > 1)
    .toArray();
  const same = items.filter((each) => new Set(each.map(({ judged }) => stepOf(judged))).size === 1).length;
  const n = items.length;
  return { rate: n === 0 ? null : same / n, interval: wilson(same, n), n };
}

/** The statistics of a set's current labels, each with its interval; see `engine/evaluate` for their sources. */
export async function reportOf(given: Facts, adjudicated: number): Promise<QualityReport> {
  const isCorrectness = given.mode === 'correctness';
  const facts = isCorrectness ? { ...given, labels: withoutSteps(given.labels) } : given;
  const items = byItem(facts.labels);
  const shared = items
    .values()
    .filter(({ length }) => length > 1)
    .toArray();
  const labelers = [...new Set(facts.labels.map(({ labeler }) => labeler))].sort();
  const fit = reliabilityOf(facts.labels);
  const qualities: LabelerQuality[] = [];
  for (const labeler of labelers) {
    qualities.push(qualityOf(labeler, facts, items, fit));
    await pauseForOthers();
  }
  return {
    setId: facts.id,
    name: facts.name,
    mode: facts.mode,
    consensus: facts.options.consensus,
    overlap: facts.options.overlap,
    repeats: facts.options.repeats,
    goldShare: facts.options.gold,
    goldItems: facts.gold.length,
    labelers: qualities,
    shared: shared.length,
    disputed: shared.filter((labels) => new Set(labels.map(categoryOf)).size > 1).length,
    adjudicated,
    pairs: await kappas(labelers, shared),
    fleiss: fleissOf(shared),
    alpha: alphaOf(labelers, shared),
    ...(isCorrectness && { steps: stepAgreementOf(given.labels) }),
    ceiling: selfAgreementOf(facts.repeats),
  };
}

/** The quality of a set's labels as they are now; the consensus of its labelers is settled before. */
export async function qualityReport(store: StoreClient, setId: string): Promise<QualityReport> {
  const facts = await factsOf(store.labelQuality, setId);
  await settleConsensus(store, setId);
  const { labeled } = await store.adjudication.progress(setId);
  return await reportOf(facts, labeled);
}
