import { probes, SMALL_EFFECT } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { readResult } from '../../engine/schema/results.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import type { ProbeReport, ProbeResult } from '../../preload/contract/probes.ts';
import type { StoreClient } from '../store/client.ts';
import type { RunInput } from '../store/runs.ts';

type Demand = NonNullable<RunSpec['demand']>;

interface Judge {
  /** Id of the checkpoint or model. */
  readonly ref: string;
  readonly name: string;
  readonly hash: string;
  readonly runId: string | null;
}

const refused = (where: string, message: string, hint: string): WhetstoneError =>
  new WhetstoneError('conflict', message, { where, hint });
const shown = (value: number): string => value.toFixed(2);

const bounds = {
  same: `all of it must lie within ±${SMALL_EFFECT}`,
  lower: `all of it must lie below −${SMALL_EFFECT}`,
} as const;

/** The result of a demanded probe must be a pass. */
function requirePassed({ name }: Judge, id: string, result: ProbeResult | undefined, hint: string): void {
  const title = probes.find((probe) => probe.id === id)?.title ?? id;
  const where = `demand.probes: ${id}`;
  const effect = result?.effect;
  if (!result || !effect)
    throw refused(
      where,
      `The judge '${name}' was not tested with the probe '${title}': it applied to ${result?.n ?? 0} answers, and ` +
        'at least 2 are needed.',
      hint,
    );
  if (effect.verdict === 'passed') return;
  const [low, high] = effect.interval;
  throw refused(
    where,
    `The judge '${name}' does not pass the probe '${title}' (${effect.verdict}): its effect is ` +
      `${shown(effect.mean)}, 95 % [${shown(low)}, ${shown(high)}] deviations, and ${bounds[result.expects]}.`,
    hint,
  );
}

async function requireProbes(store: StoreClient, judge: Judge, demanded: Demand['probes']): Promise<void> {
  if (demanded.length === 0) return;
  const how =
    judge.runId === null
      ? 'Use the checkpoint of a run as the judge.'
      : `Run "probe ${judge.runId}", or its tab Probes.`;
  const stored = await store.judgeReports.newest('probes', judge.hash);
  if (!stored)
    throw refused(
      'demand.probes',
      `The judge '${judge.name}' must pass ${demanded.join(', ')}, and there is no report of probes on its files.`,
      how,
    );
  const report = stored.summary as ProbeReport;
  const hint = `Train a better judge, or drop the demand. ${how}`;
  for (const id of demanded)
    requirePassed(
      judge,
      id,
      report.probes.find((probe) => probe.id === id),
      hint,
    );
}

async function requireAccuracy(store: StoreClient, judge: Judge, least: number): Promise<void> {
  if (least === 0) return;
  const where = 'demand.accuracy';
  // a run is inspected with its last checkpoint
  const [last] = judge.runId === null ? [] : await store.checkpoints.list(judge.runId);
  const isLast = judge.runId !== null && last.id === judge.ref;
  const result = isLast ? await store.results.newest(judge.runId, 'reward-inspection') : null;
  if (!result)
    throw refused(
      where,
      `The judge '${judge.name}' must have an accuracy of ${least} on held-out pairs, and exactly this checkpoint was not inspected.`,
      'Train it on pairs with some held out, or drop the demand.',
    );
  const { accuracy, accuracyInterval, pairs } = readResult('reward-inspection', result.value);
  if (accuracy >= least) return;
  const [low, high] = accuracyInterval;
  throw refused(
    where,
    `The judge '${judge.name}' has an accuracy of ${accuracy.toFixed(3)} on ${pairs} held-out pairs, 95 % ` +
      `[${low.toFixed(3)}, ${high.toFixed(3)}]; the run demands ${least}.`,
    'Train a better judge, or lower the demand.',
  );
}

/** Every checkpoint or model that the rewards name. */
function* judgeIds(node: unknown): Generator<string> {
  if (typeof node !== 'object' || node === null) return;
  for (const [name, value] of Object.entries(node)) {
    if ((name === 'checkpointId' || name === 'modelId') && typeof value === 'string') yield value;
    else yield* judgeIds(value);
  }
}

async function judgeOf(store: StoreClient, ref: string, { hash, kind }: RunInput): Promise<Judge> {
  if (kind === 'model') return { ref, name: (await store.models.get(ref)).name, hash, runId: null };
  const { runId, runName } = await store.checkpoints.get(ref);
  return { ref, name: runName, hash, runId };
}

/**
 * Throws `conflict` if a judge among the rewards does not meet the demands of a spec, with the probe or measure,
 * its observed and demanded number; `invalid-input` for demands without a judge. Reports count for exactly the
 * files that the run will use.
 */
export async function requireDemand(
  store: StoreClient,
  { demand, rewards }: Pick<RunSpec, 'demand' | 'rewards'>,
  inputs: readonly RunInput[],
): Promise<void> {
  if (!demand || (demand.probes.length === 0 && demand.accuracy === 0)) return;
  const ids = [...new Set(judgeIds(rewards))];
  if (ids.length === 0)
    throw new WhetstoneError(
      'invalid-input',
      'The run demands something of its judge, but no reward is a judge.',
      {
        where: 'demand',
        hint: 'Add the reward model to the rewards, or drop the demand.',
      },
    );
  for (const ref of ids) {
    const input = inputs.find((each) => each.ref === ref);
    if (!input) throw new Error(`The judge ${ref} is not among the inputs of the run.`);
    const judge = await judgeOf(store, ref, input);
    await requireProbes(store, judge, demand.probes);
    await requireAccuracy(store, judge, demand.accuracy);
  }
}
