import { hitAt, isDecided, marginAt, mean, pairedDifference } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { PairAgreement } from '../../../preload/contract/inspections.ts';
import type { Services } from '../../services/services.ts';
import { canonicalJson } from '../../store/json.ts';
import { readableSpec } from '../../store/run-states.ts';
import { tableOf, type InspectionTable } from './table.ts';

/** Most positions of differing pairs: as many as a filter takes. */
const mostPositions = 10_000;

/** Name of the data of a run's pairs: its label set, dataset, or world. */
async function dataOf({ store }: Services, runId: string): Promise<string> {
  const { setId, datasetId } = await store.inspections.source(runId);
  return setId ?? datasetId ?? canonicalJson(readableSpec(await store.runs.get(runId)).task);
}

/** Throws `conflict` unless both runs' pairs come from the same data. */
export async function sameSource(services: Services, runId: string, otherId: string): Promise<void> {
  if ((await dataOf(services, runId)) === (await dataOf(services, otherId))) return;
  throw new WhetstoneError(
    'conflict',
    'The two reward models were not inspected on pairs of the same data.',
    {
      where: otherId,
      hint: 'Choose a reward model that learned from the same label set or dataset.',
    },
  );
}

/** 1 if two margins have the same sign. */
const agree = (a: InspectionTable, at: number, b: InspectionTable, other: number): number =>
  Number(Math.sign(marginAt(a.numbers, at)) === Math.sign(marginAt(b.numbers, other)));

/**
 * Another reward model on the pairs that both were inspected on, with the same verdict. Throws `not-found` for an
 * inspection without pairs, `conflict` if their data differ.
 */
export async function againstOther(
  services: Services,
  { runId, otherId }: { readonly runId: string; readonly otherId: string },
): Promise<PairAgreement> {
  const [here, there] = [await tableOf(services, runId), await tableOf(services, otherId)];
  await sameSource(services, runId, otherId);
  const { mine, theirs } = await services.store.inspections.shared(runId, otherId);
  const shared = [...mine].map((at, i) => [at, theirs[i]] as const);
  const decided = shared.filter(([at]) => isDecided(here.numbers, at));
  const counts = {
    pairs: decided.length,
    onlyHere: here.decided.length - decided.length,
    onlyThere: there.decided.length - decided.length,
  };
  const hits = decided.map(([at, other]) => [hitAt(here.numbers, at), hitAt(there.numbers, other)] as const);
  const differing = decided.filter((_pair, i) => hits[i][0] !== hits[i][1]).map(([at]) => at);
  const shown = {
    onlyHereRight: hits.filter(([a, b]) => a > b).length,
    onlyThereRight: hits.filter(([a, b]) => b > a).length,
    differing: differing.length,
    positions: differing.sort((a, b) => a - b).slice(0, mostPositions),
  };
  if (decided.length === 0)
    return {
      ...counts,
      ...shown,
      agreement: null,
      here: null,
      there: null,
      difference: null,
      interval: null,
    };
  const [own, others] = [hits.map(([a]) => a), hits.map(([, b]) => b)];
  const prompts = decided.map(([at]) => String(here.numbers.promptNumber[at]));
  const { difference, interval } = pairedDifference(own, others, prompts, { replicates: 1000 });
  return {
    ...counts,
    ...shown,
    agreement: mean(decided.map(([at, other]) => agree(here, at, there, other))),
    here: mean(own),
    there: mean(others),
    difference,
    interval,
  };
}
