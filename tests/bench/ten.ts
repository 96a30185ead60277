/**
 * The ten systems that lead, each with an experiment for what it claims: every seed is one plan with all sides, which
 * runs as a person's would, in a temporary workspace.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Interval } from '../../engine/schema/evaluation.ts';
import { openServices } from '../../main/headless/open.ts';
import { judge, spentBy } from './effects.ts';
import type { Side, SideRuns, Spent } from './effects/effect.ts';
import { runTrial, sides, type Measured, type Place } from './effects/run-effect.ts';
import { rounded, say } from './figures.ts';
import { ten } from './ten/index.ts';
import type { Claim, TenSystem } from './ten/system.ts';

export interface TenFinding extends Omit<Claim, 'number' | 'spent'> {
  readonly system: string;
  /** Mean training budget of a seed on each side: tokens of sampled answers, updates. */
  readonly budget: Readonly<Record<Side, Spent>>;
  readonly seeds: number;
  /** Mean of method − baseline on the same seed, and its bootstrap interval over the seeds (95 %). */
  readonly effect: number;
  readonly interval: Interval;
  /** True if the whole interval is on the claimed side. */
  readonly holds: boolean;
  /** One per seed, in the order of the seeds. */
  readonly ofMethod: readonly number[];
  readonly ofBaseline: readonly number[];
}

type Values = Readonly<Record<Side, Measured>>;

/** Both numbers of every claim on one seed, in the order of the claims. */
export async function measureClaims(
  system: TenSystem,
  seed: number,
  place: Place,
): Promise<readonly Values[]> {
  const { plan, quickPlan = plan } = system;
  const trial = { ...system, plan: place.most === undefined ? plan : quickPlan };
  const sideOf = await runTrial(trial, seed, place);
  return await Promise.all(
    system.claims.map(async (claim) => {
      const { spent = (runs: SideRuns) => runs.spent() } = claim;
      const measured = sides.map(async (side): Promise<[Side, Measured]> => {
        const runs = sideOf(claim[side]);
        return [side, { value: await claim.number(runs, sideOf), spent: await spent(runs, sideOf) }];
      });
      return Object.fromEntries(await Promise.all(measured)) as Record<Side, Measured>;
    }),
  );
}

/** A claim after all its seeds. */
export function findingOf(
  { id }: TenSystem,
  { number, spent, ...claim }: Claim,
  values: readonly Values[],
): TenFinding {
  void [number, spent];
  const [ofMethod, ofBaseline] = sides.map((side) => values.map((each) => rounded(each[side].value)));
  const { difference, interval, verdict } = judge(ofMethod, ofBaseline, claim.better);
  return {
    system: id,
    ...claim,
    budget: {
      method: spentBy(values.map(({ method }) => method)),
      baseline: spentBy(values.map(({ baseline }) => baseline)),
    },
    seeds: values.length,
    effect: difference,
    interval,
    holds: verdict === 'holds',
    ofMethod,
    ofBaseline,
  };
}

export interface TenOptions {
  readonly seeds: readonly number[];
  /** Ids of systems between commas; all without it. */
  readonly only?: string;
  readonly isQuick: boolean;
}

/** Every claim of all ten, or of those of `only`. A quick check caps steps, problems and budgets, for one seed. */
export async function measureTen({ seeds, only, isQuick }: TenOptions): Promise<TenFinding[]> {
  const chosen = ten.filter(({ id }) => only === undefined || only.split(',').includes(id));
  if (chosen.length === 0)
    throw new Error(`There is no system '${only}'; there are ${ten.map(({ id }) => id).join(', ')}.`);
  const findings: TenFinding[] = [];
  for (const system of chosen)
    findings.push(
      ...(await measureSystem(system, {
        seeds: isQuick ? seeds.slice(0, 1) : seeds,
        ...(isQuick && { most: system.quickSteps ?? 2 }),
      })),
    );
  return findings;
}

async function measureSystem(
  system: TenSystem,
  { seeds, most }: { readonly seeds: readonly number[]; readonly most?: number },
): Promise<TenFinding[]> {
  const began = performance.now();
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-ten-'));
  const bench = await openServices({ workspacePath: join(folder, 'workspace'), create: true });
  try {
    const values: (readonly Values[])[] = [];
    for (const seed of seeds) {
      values.push(await measureClaims(system, seed, { bench, folder, most }));
      say(`${system.id}, seed ${seed}: ${Math.round((performance.now() - began) / 1000)} s so far`);
    }
    return system.claims.map((claim, at) => {
      const finding = findingOf(
        system,
        claim,
        values.map((each) => each[at]),
      );
      const { effect, interval, holds, method, baseline, measure } = finding;
      say(
        `${holds ? 'holds' : 'does not hold'}: ${method} − ${baseline} = ${effect} [${interval.join(', ')}] (${measure})`,
      );
      return finding;
    });
  } finally {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
