/** Runs the plan of an effect in a workspace, and reads what its runs left. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readResult } from '../../../engine/schema/results.ts';
import { importWithLog } from '../../../main/import/import-with-log.ts';
import { nodeOf, runWhole } from '../../../main/plans/whole.ts';
import type { OpenServices } from '../../../main/headless/open.ts';
import type { Plan } from '../../../preload/contract/plans.ts';
import type { Sample } from '../../../preload/contract/runs.ts';
import type { Effect, Side, SideRuns, Spent, Trial } from './effect.ts';

export interface Measured {
  readonly value: number;
  readonly spent: Spent;
}
export interface Place {
  readonly bench: OpenServices;
  /** A folder for the files of datasets. */
  readonly folder: string;
  /** Caps the steps and problems of every run, for a quick check. */
  readonly most?: number;
  readonly log?: (text: string) => void;
}

export const sides: readonly Side[] = ['method', 'baseline'];
const PAGE = 500;

/** The finished sides of one seed, by what the ids of their nodes begin with. Throws the error of a node that fails. */
export async function runTrial(
  trial: Trial,
  seed: number,
  place: Place,
): Promise<<S extends string>(side: S) => SideRuns<S>> {
  const { bench, log = () => undefined, most } = place;
  const datasets = await importData(trial, seed, place);
  const { specs = {}, nodes } = trial.plan(seed, datasets);
  const file = { name: `${trial.id}, seed ${seed}`, specs, nodes };
  const plan = await runWhole(bench, most === undefined ? file : capped(file, most), { log });
  return (side) => new FinishedSide(bench, plan, side, seed);
}

/** Both numbers of one seed. */
export async function measureEffect(
  effect: Effect,
  seed: number,
  place: Place,
): Promise<Readonly<Record<Side, Measured>>> {
  const sideOf = await runTrial(effect, seed, place);
  const measured = await Promise.all(
    sides.map(async (side): Promise<[Side, Measured]> => {
      const runs = sideOf(side);
      return [side, { value: await effect.number(runs), spent: await runs.spent() }];
    }),
  );
  return Object.fromEntries(measured) as Record<Side, Measured>;
}

async function importData({ id, data }: Trial, seed: number, { bench, folder, log }: Place) {
  const ids: Record<string, string> = {};
  for (const [name, rows] of Object.entries(data?.(seed) ?? {})) {
    const path = join(folder, `${id}-${seed}-${name}.jsonl`);
    await writeFile(path, rows.map((row) => JSON.stringify(row)).join('\n'));
    const imported = await importWithLog(bench, { path, keepGoodLines: false }, log ?? (() => undefined));
    ids[name] = imported.id;
  }
  return ids;
}

/**
 * A copy in which no run has more steps or held-out problems than `most`, nor large batches, more than two
 * rounds, or a long warm-up.
 */
const capped = (value: unknown, most: number): unknown => {
  if (Array.isArray(value)) return value.map((each) => capped(each, most));
  if (typeof value !== 'object' || value === null) return value;
  const limits: Readonly<Record<string, number>> = {
    steps: most,
    problems: most,
    batch: 16,
    rounds: 2,
    pulls: 2 * most,
    passes: 1,
    warmup: 1,
  };
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      key,
      key in limits && typeof each === 'number' ? Math.min(each, limits[key]) : capped(each, most),
    ]),
  );
};

class FinishedSide<S extends string> implements SideRuns<S> {
  readonly side: S;
  readonly seed: number;
  readonly #bench: OpenServices;
  readonly #plan: Plan;

  constructor(bench: OpenServices, plan: Plan, side: S, seed: number) {
    this.#bench = bench;
    this.#plan = plan;
    this.side = side;
    this.seed = seed;
  }

  get #own(): Plan['nodes'] {
    return this.#plan.nodes.filter(
      ({ id, runId }) => runId !== null && id.split('/')[0].startsWith(this.side),
    );
  }

  nodes() {
    return this.#own.map(({ id }) => id);
  }

  get #runs(): readonly string[] {
    return this.#own.flatMap(({ runId }) => runId ?? []);
  }

  #run(node?: string): string {
    const id = node === undefined ? this.#runs.at(-1) : nodeOf(this.#plan, node).runId;
    if (id === undefined || id === null)
      throw new Error(`the plan has no run '${node ?? this.side}': ids of runs begin with their side`);
    return id;
  }

  async evaluations(node?: string) {
    const results = await this.#bench.api.runs.results({ id: this.#run(node) });
    const found = results.filter(({ kind }) => kind === 'evaluation');
    if (found.length === 0) throw new Error('the run was not evaluated');
    return found.map(({ value }) => readResult('evaluation', value));
  }

  async evaluation(node?: string) {
    return (await this.evaluations(node)).slice(-1)[0];
  }

  async result<K extends Parameters<SideRuns['result']>[0]>(kind: K, node?: string) {
    const results = await this.#bench.api.runs.results({ id: this.#run(node) });
    const found = results.findLast((each) => each.kind === kind);
    if (!found) throw new Error(`the run left no ${kind}`);
    return readResult(kind, found.value);
  }

  async metric(name: string, node?: string) {
    const series = await this.#bench.api.runs.metrics({
      runIds: [this.#run(node)],
      names: [name],
      from: 0,
      to: null,
      points: 20_000,
    });
    return series.flatMap(({ values }) => [...values]);
  }

  answers(purpose: Sample['purpose'], node?: string) {
    return this.#answers(this.#run(node), purpose);
  }

  async spent(): Promise<Spent> {
    let [tokens, updates] = [0, 0];
    for (const id of this.#runs) {
      updates += (await this.#bench.api.runs.get({ id })).step;
      for (const answer of await this.#answers(id, 'train')) tokens += answer.tokens;
    }
    return { tokens, updates };
  }

  async forecast() {
    return await this.#bench.api.plans.forecast({ id: this.#plan.id, target: null });
  }

  async #answers(runId: string, purpose: Sample['purpose']): Promise<Sample[]> {
    const all: Sample[] = [];
    const where = { runIds: [runId], purpose, promptId: null, step: null, order: 'oldest' } as const;
    for (let total = Infinity; all.length < total;) {
      const page = await this.#bench.services.store.samples.query({
        ...where,
        offset: all.length,
        limit: PAGE,
      });
      if (page.samples.length === 0) break;
      all.push(...page.samples);
      total = page.total;
    }
    return all;
  }
}
