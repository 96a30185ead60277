import { checkSpec, mean, pearson } from '../engine/index.ts';
import { WhetstoneError } from '../engine/schema/errors.ts';
import type { RewardSpec, RunSpec } from '../engine/schema/run-spec.ts';
import type { Sample } from '../preload/contract/runs.ts';
import type { CallOptions } from './engine-host/process.ts';
import { freezeInputs, resourcesFor } from './resources.ts';
import type { Services } from './services.ts';
import { canonicalJson, sha256 } from './store/json.ts';
import { readableSpec } from './store/run-states.ts';

/** Longest time for the answers of one run, in milliseconds; samples read at once. */
const limitMs = 3_600_000, PAGE = 500;

/** A number of each answer, beside what was stored under the same name: its mean, and how the two go together (null where one never varies, or none is stored). */
interface Compared { readonly mean: number; readonly stored: number | null; readonly correlation: number | null }

export interface Rescored {
  readonly runId: string;
  readonly rows: number;
  /** Attempts at one prompt in one step. */
  readonly groups: number;
  readonly scorers: { readonly [scorer: string]: Compared };
  readonly total: Compared;
  /** Group advantages now and as they were: how they go together, mean |change|, and the share of answers whose advantage changed its sign. */
  readonly advantages: { readonly correlation: number | null; readonly meanChange: number; readonly signsChanged: number };
  /** Answers that a scorer failed on. */
  readonly faults: number;
  /** Names of the score rows that were added; nothing that was stored is touched. */
  readonly saved: readonly string[];
}

/** Every training answer of a run in the order in which they were written, a batch for each step. */
async function batchesOf(services: Services, runId: string): Promise<Sample[][]> {
  const steps = new Map<string, Sample[]>();
  for (let offset = 0, total = 1; offset < total; offset += PAGE) {
    const page = await services.store.samples.query({ runIds: [runId], purpose: 'train', promptId: null, step: null, order: 'oldest', offset, limit: PAGE });
    total = page.total;
    for (const sample of page.samples) {
      const key = `${sample.attempt}/${sample.step}`, batch = steps.get(key);
      if (batch) batch.push(sample);
      else steps.set(key, [sample]);
    }
  }
  return [...steps.values()];
}

/** What the run's own rewards gave each answer: Σ weight · stored value. Null where the run had none, or one of them twice. */
function storedTotals(rewards: readonly RewardSpec[], samples: readonly Sample[]): number[] | null {
  if (rewards.length === 0 || new Set(rewards.map(({ id }) => id)).size < rewards.length) return null;
  const totals = samples.map(({ scores }) => rewards.reduce((sum, { id, weight }) => sum + weight * (scores[id] ?? Number.NaN), 0));
  return totals.every(Number.isFinite) ? totals : null;
}

const goTogether = (a: readonly number[], b: readonly number[]): number | null => {
  const found = pearson(a, b);
  return Number.isNaN(found) ? null : found;
};
const compared = (now: readonly number[], stored: readonly number[] | null): Compared => ({ mean: mean(now), stored: stored && mean(stored), correlation: stored && goTogether(now, stored) });

/** Advantages within groups, as they follow from totals. */
const groupAdvantages = (totals: readonly number[], groups: readonly string[]): number[] => {
  const own = Map.groupBy(totals.keys(), (at) => groups[at]), found = totals.map(() => 0);
  for (const rows of own.values()) {
    const center = mean(rows.map((at) => totals[at])), sd = Math.sqrt(rows.reduce((sum, at) => sum + (totals[at] - center) ** 2, 0) / Math.max(1, rows.length - 1));
    if (sd > 0) for (const at of rows) found[at] = (totals[at] - center) / (sd + 1e-6);
  }
  return found;
};

/** The spec of the run with other rewards, checked, and the files that it asks for. */
async function otherRewards(services: Services, runId: string, rewards: unknown): Promise<{ readonly before: RunSpec; readonly spec: RunSpec }> {
  const before = readableSpec(await services.store.runs.get(runId));
  const spec = checkSpec({ ...before, rewards });
  if (spec.rewards.length === 0) throw new WhetstoneError('invalid-input', 'No reward is named.', { where: '--rewards', hint: 'For example [{"id": "verifier"}].' });
  return { before, spec };
}

/** Scores the stored answers of a run with other rewards, and says what that would have changed. `save`: the values become score rows of their own. */
export async function rescore(services: Services, runId: string, rewards: unknown, { save, ...follow }: CallOptions<'rescore'> & { readonly save: boolean }): Promise<Rescored> {
  const { before, spec } = await otherRewards(services, runId, rewards);
  const batches = await batchesOf(services, runId), samples = batches.flat();
  if (samples.length === 0) throw new WhetstoneError('not-found', 'The run has stored no answers of its training.', { where: runId, hint: 'Methods that learn from stored data write none.' });
  const groups = samples.map(({ attempt, step, promptId }) => `${attempt}/${step}/${promptId}`), numbers = new Map([...new Set(groups)].map((group, at) => [group, at]));
  const asked = batches.map((batch) => batch.map(({ promptId, prompt, completion, tokens, stopReason, attempt, step }) =>
    ({ promptId, prompt, completion, tokens, stopReason, group: numbers.get(`${attempt}/${step}/${promptId}`) ?? 0 })));
  const resources = await resourcesFor(services, spec, await freezeInputs(services, spec), runId);
  const now = await services.engine.ask('rescore', { spec, resources, batches: asked }, limitMs, follow);
  const stored = storedTotals(before.rewards, samples), then = stored && groupAdvantages(stored, groups);
  const name = sha256(canonicalJson(spec.rewards)).slice(0, 8), rows = Object.entries(now.scores).flatMap(([scorer, values]) => values.map((value, at) => ({ id: samples[at].id, scorer: `rescored ${name}/${scorer}`, value })));
  if (save) await services.store.samples.appendScores(rows, name);
  const old = (scorer: string) => { const values = samples.map(({ scores }) => scores[scorer] ?? Number.NaN); return values.every(Number.isFinite) ? values : null; };
  return {
    runId, rows: samples.length, groups: numbers.size, faults: now.faults.length,
    scorers: Object.fromEntries(Object.entries(now.scores).map(([scorer, values]) => [scorer, compared(values, old(scorer))])),
    total: compared(now.total, stored),
    advantages: {
      correlation: then && goTogether(now.advantage, then),
      meanChange: then ? mean(now.advantage.map((value, at) => Math.abs(value - then[at]))) : 0,
      signsChanged: then ? mean(now.advantage.map((value, at) => Number(Math.sign(value) !== Math.sign(then[at])))) : 0,
    },
    saved: save ? [...new Set(rows.map(({ scorer }) => scorer))] : [],
  };
}
