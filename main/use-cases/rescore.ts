import { checkSpec } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { Rescored } from '../../preload/contract/rewards.ts';
import type { Sample } from '../../preload/contract/runs.ts';
import type { CallOptions } from '../engine-host/process.ts';
import { compareScores, progressAt } from './rescore-comparison.ts';
import { freezeInputs, resourcesFor } from '../services/resources.ts';
import type { Services } from '../services/services.ts';
import { canonicalJson, sha256 } from '../store/json.ts';
import { readableSpec } from '../store/run-states.ts';
import { scoresAtOnce } from '../store/samples.ts';

/** Time limit for the answers of one run, in milliseconds; samples read at once. */
const limitMs = 3_600_000;
const PAGE = 500;

/**
 * Every training answer of a run in order, one batch per step. For a step repeated after a resume, the last
 * attempt counts, as in its curves.
 */
async function batchesOf(services: Services, runId: string): Promise<Sample[][]> {
  const steps = new Map<number, Sample[]>();
  const filter = {
    runIds: [runId],
    purpose: 'train',
    promptId: null,
    step: null,
    order: 'oldest',
    limit: PAGE,
  } as const;
  for (let offset = 0, total = 1; offset < total;) {
    const page = await services.store.samples.query({ ...filter, offset });
    total = page.total;
    offset += page.samples.length; // pages of long texts have fewer samples
    if (page.samples.length === 0) break;
    for (const sample of page.samples) {
      const batch = steps.get(sample.step);
      if (batch?.[0].attempt === sample.attempt) batch.push(sample);
      else steps.set(sample.step, [sample]); // attempts come in order
    }
  }
  return [...steps.values()];
}

/**
 * Group of each answer of a batch. Groups are consecutive, so one ends where another prompt begins; if a
 * prompt was drawn twice in a row, `size` gives the group size (null: it varies, and they count as one).
 */
const groupsOf = (batch: readonly Sample[], size: number | null): number[] => {
  let group = -1;
  let begun = 0;
  return batch.map(({ promptId }, at) => {
    if (at === 0 || batch[at - 1].promptId !== promptId || at - begun === size)
      [group, begun] = [group + 1, at];
    return group;
  });
};

/** Rewards and a composer; the run's own where one is absent, and the weighted sum for a composer of null. */
export interface OtherTotal {
  readonly rewards?: unknown;
  readonly composer?: unknown;
}

/** The run's spec with other rewards, checked, and the files it needs. */
async function otherRewards(
  services: Services,
  runId: string,
  { rewards, composer }: OtherTotal,
): Promise<{ readonly before: RunSpec; readonly spec: RunSpec }> {
  const before = readableSpec(await services.store.runs.get(runId));
  const { budget } = before;
  // the check must not refuse it for its old budget, nor for demands on judges that held at the launch
  const spec = {
    ...checkSpec({
      ...before,
      ...(rewards !== undefined && { rewards }),
      ...(composer !== undefined && { composer }),
      demand: undefined,
      budget: { ...budget, steps: 0 },
    }),
    budget,
  };
  if (spec.rewards.length === 0)
    throw new WhetstoneError('invalid-input', 'No reward is named.', {
      where: '--rewards',
      hint: 'For example [{"id": "verifier"}].',
    });
  return { before, spec };
}

/**
 * Scores the stored answers of a run with other rewards or another composer, and compares. `save`: stores
 * the values as score rows.
 */
export async function rescore(
  services: Services,
  runId: string,
  other: OtherTotal,
  { save, ...follow }: CallOptions<'rescore'> & { readonly save: boolean },
): Promise<Rescored> {
  const { before, spec } = await otherRewards(services, runId, other);
  const batches = await batchesOf(services, runId);
  const samples = batches.flat();
  if (samples.length === 0)
    throw new WhetstoneError('not-found', 'The run has stored no training answers.', {
      where: runId,
      hint: 'Methods that learn from stored data sample none.',
    });
  const size =
    spec.controllers.length === 0 && typeof spec.method.params.groupSize === 'number'
      ? spec.method.params.groupSize
      : null;
  const numbers = batches.map((batch) => groupsOf(batch, size));
  const groups = numbers.flatMap((of, batch) => of.map((group) => `${batch}/${group}`));
  const inputBatches = batches.map((batch, at) =>
    batch.map(({ promptId, prompt, completion, tokens, stopReason }, r) => ({
      promptId,
      prompt,
      completion,
      tokens,
      stopReason,
      group: numbers[at][r],
    })),
  );
  const progress = batches.map(([{ step }]) => progressAt(spec, step));
  const resources = await resourcesFor(services, await freezeInputs(services, spec), runId);
  const now = await services.engine.ask(
    'rescore',
    { spec, resources, batches: inputBatches, progress },
    limitMs,
    follow,
  );
  const { composer } = spec;
  const name = sha256(canonicalJson(composer ? [spec.rewards, composer] : spec.rewards)).slice(0, 8);
  const rows = Object.entries(now.scores).flatMap(([scorer, values]) =>
    values.map((value, at) => ({ id: samples[at].id, scorer: `rescored ${name}/${scorer}`, value })),
  );
  for (let from = 0; save && from < rows.length; from += scoresAtOnce)
    await services.store.samples.appendScores(rows.slice(from, from + scoresAtOnce), name);
  return {
    runId,
    ...compareScores({ samples, groups, now, before }),
    saved: save ? [...new Set(rows.map(({ scorer }) => scorer))] : [],
  };
}
