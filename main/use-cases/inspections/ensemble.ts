import { ensembleOf, isDecided, marginAt, type Ensemble } from '../../../engine/index.ts';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { EnsembleReport } from '../../../preload/contract/ensembles.ts';
import type { Services } from '../../services/services.ts';
import type { StoreClient } from '../../store/client.ts';
import { sameSource } from './against.ts';
import { tableOf, type InspectionTable } from './table.ts';

/** An ensemble on the pairs that all judges were inspected on. */
export interface SharedEnsemble {
  /** The judges, the own one first. */
  readonly judges: readonly { readonly id: string; readonly name: string }[];
  /** Positions of the shared pairs with a preferred answer, rising, in the own inspection. */
  readonly positions: Uint32Array;
  /** Null without shared pairs. */
  readonly found: Ensemble | null;
}

/** Ensembles that are kept in memory: pages of pairs in their order ask for one again and again. */
const most = 3;
const kept = new WeakMap<StoreClient, Map<string, Promise<SharedEnsemble>>>();

/** The judges of an ensemble besides the own one. Throws `invalid-input` without any. */
function distinctOthers(runId: string, otherIds: readonly string[]): string[] {
  const others = [...new Set(otherIds)].filter((id) => id !== runId);
  if (others.length > 0) return others;
  throw new WhetstoneError('invalid-input', 'An ensemble needs at least one other reward model.', {
    where: 'others',
    hint: 'Choose reward models that learned from the same label set or dataset, with other seeds say.',
  });
}

/** Reads the inspections and computes the ensemble. */
async function compute(
  services: Services,
  runId: string,
  otherIds: readonly string[],
): Promise<SharedEnsemble> {
  const here = await tableOf(services, runId);
  const others: InspectionTable[] = [];
  for (const id of otherIds) {
    others.push(await tableOf(services, id));
    await sameSource(services, runId, id);
  }
  const { numbers } = here;
  const places: Map<number, number>[] = [];
  for (const other of others) {
    const { mine, theirs } = await services.store.inspections.shared(runId, other.runId);
    places.push(new Map([...mine].map((at, i) => [at, theirs[i]])));
  }
  const positions = Uint32Array.from(
    Array.from({ length: numbers.size }, (_none, at) => at).filter(
      (at) => isDecided(numbers, at) && places.every((place) => place.has(at)),
    ),
  );
  const judges = [here, ...others].map((each) => ({ id: each.runId, name: each.name }));
  if (positions.length === 0) return { judges, positions, found: null };
  const margins = [
    Float64Array.from(positions, (at) => marginAt(numbers, at)),
    ...others.map((other, i) =>
      Float64Array.from(positions, (at) => marginAt(other.numbers, places[i].get(at) ?? at)),
    ),
  ];
  const prompts = Array.from(positions, (at) => String(numbers.promptNumber[at]));
  return { judges, positions, found: ensembleOf(margins, prompts) };
}

/**
 * A reward model and others as an ensemble, on the pairs that all were inspected on, with the same verdict.
 * Throws `not-found` for an inspection without pairs, `conflict` if their data differ, `invalid-input` without
 * another model.
 */
export async function sharedEnsemble(
  services: Services,
  runId: string,
  otherIds: readonly string[],
): Promise<SharedEnsemble> {
  const others = distinctOthers(runId, otherIds);
  const { inspections, runs } = services.store;
  const states = [runId, ...others].map(async (id) => [await inspections.of(id), (await runs.get(id)).name]);
  const key = JSON.stringify([runId, others, await Promise.all(states)]);
  const known = kept.get(services.store) ?? new Map<string, Promise<SharedEnsemble>>();
  kept.set(services.store, known);
  const found = known.get(key) ?? compute(services, runId, others);
  known.set(key, found);
  if (known.size > most) known.delete(known.keys().next().value ?? key);
  found.catch(() => known.delete(key));
  return found;
}

/** The accuracy of an ensemble and its judges, and whether they disagree where it is wrong. Throws as above. */
export async function ensembleReport(
  services: Services,
  { runId, others }: { readonly runId: string; readonly others: readonly string[] },
): Promise<EnsembleReport> {
  const { judges, positions, found } = await sharedEnsemble(services, runId, others);
  return {
    pairs: positions.length,
    judges: judges.map((judge, at) => ({
      ...judge,
      rate: found && { accuracy: found.judges[at].accuracy, interval: found.judges[at].interval },
      deviation: found && found.judges[at].deviation,
    })),
    ensemble: found?.ensemble ?? null,
    correlation: found?.correlation ?? null,
    disputed: found ? found.dissent.filter((share) => share > 0).length : 0,
    positions: Float64Array.from(positions),
    spread: Float64Array.from(found?.spread ?? []),
  };
}
