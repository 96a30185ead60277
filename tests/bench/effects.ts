/**
 * Published effects of systems against their baselines at the same budget. Each seed of an effect is a plan that
 * runs as a person's would, in a temporary workspace.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { bootstrap, meanInterval } from '../../engine/evaluate/index.ts';
import type { Interval } from '../../engine/schema/evaluation.ts';
import { openServices } from '../../main/headless/open.ts';
import type { Effect, Side, Spent } from './effects/effect.ts';
import { effects } from './effects/index.ts';
import { measureEffect, type Measured } from './effects/run-effect.ts';
import { rounded, say } from './figures.ts';

export interface Finding extends Omit<Effect, 'data' | 'plan' | 'number'> {
  /** One per seed, in the order of the seeds. */
  readonly ofMethod: readonly number[];
  readonly ofBaseline: readonly number[];
  /** Mean of method − baseline on the same seed, and its bootstrap interval over the seeds (95 %). */
  readonly difference: number;
  readonly interval: Interval;
  readonly intervals: Readonly<Record<Side, Interval>>;
  /** `holds`: the whole interval is on the claimed side; `opposite`: on the other; else undecided. */
  readonly verdict: 'holds' | 'opposite' | 'unclear';
  /** Mean training budget of a seed: tokens of sampled answers, updates. */
  readonly spent: Readonly<Record<Side, Spent>>;
  readonly seconds: number;
}

const mean = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0) / values.length;
const both = (interval: Interval): Interval => [rounded(interval[0]), rounded(interval[1])];

/** Evaluates a claim on paired values. */
export const judge = (
  ofMethod: readonly number[],
  ofBaseline: readonly number[],
  better: Effect['better'],
): Pick<Finding, 'difference' | 'interval' | 'intervals' | 'verdict'> => {
  const differences = ofMethod.map((value, at) => value - ofBaseline[at]);
  const interval = bootstrap(differences.length, (picked) =>
    mean(Array.from(picked, (at) => differences[at])),
  );
  const [worst, best] = better === 'higher' ? interval : [-interval[1], -interval[0]];
  return {
    difference: rounded(mean(differences)),
    interval: both(interval),
    intervals: { method: both(meanInterval(ofMethod)), baseline: both(meanInterval(ofBaseline)) },
    verdict: worst > 0 ? 'holds' : best < 0 ? 'opposite' : 'unclear',
  };
};

/** Mean budget over seeds. */
export const spentBy = (measured: readonly Measured[]): Spent => ({
  tokens: Math.round(mean(measured.map(({ spent }) => spent.tokens))),
  updates: Math.round(mean(measured.map(({ spent }) => spent.updates))),
});

/** One effect over so many seeds, from 1 on; `most` caps steps and problems for a quick check. */
export async function measureOne(
  effect: Effect,
  { seeds, most, log = say }: { readonly seeds: number; readonly most?: number; readonly log?: typeof say },
): Promise<Finding> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-effect-'));
  const bench = await openServices({ workspacePath: join(folder, 'workspace'), create: true });
  try {
    const measured: Record<Side, Measured[]> = { method: [], baseline: [] };
    for (let seed = 1; seed <= seeds; seed++) {
      const { method, baseline } = await measureEffect(effect, seed, { bench, folder, most });
      measured.method.push(method);
      measured.baseline.push(baseline);
      log(`${effect.id}, seed ${seed}: ${rounded(method.value)} against ${rounded(baseline.value)}`);
    }
    const [ofMethod, ofBaseline] = [measured.method, measured.baseline].map((side) =>
      side.map(({ value }) => rounded(value)),
    );
    const { id, cluster, system, title, cites, method, baseline, measure, better, note } = effect;
    return {
      id,
      cluster,
      system,
      title,
      cites,
      method,
      baseline,
      measure,
      better,
      ...(note !== undefined && { note }),
      ofMethod,
      ofBaseline,
      ...judge(ofMethod, ofBaseline, effect.better),
      spent: { method: spentBy(measured.method), baseline: spentBy(measured.baseline) },
      seconds: Math.round((performance.now() - began) / 1000),
    };
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** All effects, or those of `only` (ids, systems or clusters between commas). */
export async function measureEffects({
  seeds,
  only,
  isQuick,
}: {
  readonly seeds: number;
  readonly only?: string;
  readonly isQuick: boolean;
}): Promise<Finding[]> {
  const wanted = only?.split(',');
  const chosen = effects.filter(({ id, system, cluster }) =>
    wanted ? [id, system, String(cluster)].some((name) => name !== null && wanted.includes(name)) : true,
  );
  if (chosen.length === 0)
    throw new Error(`There is no effect '${only}'; there are ${effects.map(({ id }) => id).join(', ')}.`);
  const findings: Finding[] = [];
  for (const effect of chosen) {
    const finding = await measureOne(effect, { seeds, ...(isQuick && { most: effect.quickSteps ?? 2 }) });
    const { id, verdict, method, baseline, difference, interval, measure, seconds } = finding;
    say(
      `${id}: ${verdict}; ${method} − ${baseline} = ${difference} [${interval.join(', ')}] (${measure}), ${seconds} s`,
    );
    findings.push(finding);
  }
  return findings;
}
