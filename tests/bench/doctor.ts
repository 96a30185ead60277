/** The run doctor on real small runs: what it finds where something is wrong, and where nothing is. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { examineRun, runRules } from '../../engine/index.ts';
import { methods } from '../../engine/rl/methods/index.ts';
import { runToEnd } from '../../engine/rl/run/train.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import type { PolicyEvaluation } from '../../engine/schema/evaluation.ts';
import type { RunSpec } from '../../engine/schema/run-spec.ts';
import { planted } from '../support/planted-runs.ts';
import { evidenceOf } from '../support/run-evidence.ts';
import { lastCheckpoint, noResources, recorder, sanitySpec, type Seen } from '../support/toy-run.ts';
import { changed, coinFile, fewRows, fewRowsFile, pathologies } from './doctor-runs.ts';
import { say } from './figures.ts';

export interface RuleFigures {
  readonly rule: string;
  /** True if it finds its pathology, and what that is planted in. */
  readonly planted: boolean;
  readonly plantedIn: 'run' | 'synthetic';
  /** Findings on healthy real runs, all of them false. */
  readonly healthy: number;
  readonly healthyRuns: number;
}

/** Runs specifications in a folder of its own; a failed run keeps the events until its failure. */
class Bench {
  readonly #device: Device;
  readonly #folder = mkdtempSync(join(tmpdir(), 'whetstone-doctor-'));
  #turn = 0;
  #base = '';
  start: PolicyEvaluation | null = null;

  constructor(device: Device) {
    this.#device = device;
    writeFileSync(join(this.#folder, 'few.jsonl'), fewRowsFile());
    writeFileSync(join(this.#folder, 'coin.jsonl'), coinFile());
  }

  /** Trains the base policy that other runs begin from. */
  async begin(): Promise<void> {
    const seen = await this.run(changed('sft', { steps: 60 }));
    this.#base = lastCheckpoint(seen);
    const result = seen.findLast((event) => event.type === 'result' && event.kind === 'evaluation');
    if (result?.type === 'result' && result.kind === 'evaluation') this.start = result.value;
  }

  async run(spec: RunSpec): Promise<Seen[]> {
    const { seen, events } = recorder();
    this.#turn += 1;
    const outDir = join(this.#folder, `run-${this.#turn}`);
    const resources = {
      ...noResources,
      checkpoints: { base: this.#base },
      datasets: { few: join(this.#folder, 'few.jsonl') },
      preferences: { coin: join(this.#folder, 'coin.jsonl') },
    };
    try {
      await runToEnd(
        { runId: 'toy', attempt: 1, spec, resources, outDir },
        events,
        new AbortController().signal,
        this.#device,
      );
    } catch (error) {
      say(`  the run failed: ${(error as Error).message}`);
    }
    return seen;
  }

  close(): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** The findings of a run; `start`: the evaluation of the checkpoint that it began from. */
const found = (spec: RunSpec, seen: readonly Seen[], start: PolicyEvaluation | null) =>
  examineRun(
    evidenceOf(spec, seen, {
      start: spec.models.policy.kind === 'checkpoint' ? start : null,
      trainingRows: spec.task.kind === 'dataset' ? fewRows : null,
    }),
  );

/** `only`: rules by id, separated by commas; `isQuick`: three healthy methods instead of all. */
export const measureDoctor = async ({
  threads,
  only,
  isQuick,
}: {
  readonly threads: number;
  readonly only?: string;
  readonly isQuick: boolean;
}): Promise<RuleFigures[]> => {
  const device = await openDevice({ id: 'cpu', threads });
  const bench = new Bench(device);
  try {
    await bench.begin();
    const asked = runRules.filter(({ id }) => only === undefined || only.split(',').includes(id));
    const real = new Map<string, boolean>();
    for (const { id } of asked) {
      if (!(id in pathologies)) continue;
      const spec = pathologies[id]();
      const findings = found(spec, await bench.run(spec), bench.start);
      const own = findings.find(({ rule }) => rule === id);
      real.set(id, own !== undefined);
      const others = findings.filter(({ rule }) => rule !== id).map(({ rule }) => rule);
      say(
        `${own ? `found   ${id} at step ${own.step}: ${own.text}` : `MISSED  ${id}`} (also ${others.join(', ') || 'nothing'})`,
      );
    }
    const healthy = await healthyFindings(bench, isQuick);
    return asked.map(({ id }) => ({
      rule: id,
      planted: real.get(id) ?? examineRun(planted[id].run).some(({ rule }) => rule === id),
      plantedIn: real.has(id) ? 'run' : 'synthetic',
      healthy: healthy.found.filter((rule) => rule === id).length,
      healthyRuns: healthy.runs,
    }));
  } finally {
    bench.close();
    await device.close();
  }
};

/** Findings on the toy run of every method, each of which learns within its bound. */
const healthyFindings = async (bench: Bench, isQuick: boolean) => {
  const ids: string[] = [];
  const shown = methods.filter(
    ({ id, sanity }) => sanity && (!isQuick || ['sft', 'grpo', 'dpo'].includes(id)),
  );
  for (const method of shown) {
    const spec = sanitySpec(method, 1);
    const findings = found(spec, await bench.run(spec), null);
    ids.push(...findings.map(({ rule }) => rule));
    say(
      `${findings.length === 0 ? 'silent ' : 'FALSE  '} ${method.id}: ${findings.map(({ rule, text }) => `${rule}: ${text}`).join(' | ')}`,
    );
  }
  return { found: ids, runs: shown.length };
};
