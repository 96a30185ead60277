import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { judge } from '../../bench/effects.ts';
import { effects } from '../../bench/effects/index.ts';
import { measureEffect } from '../../bench/effects/run-effect.ts';
import { methods, sanityResults, systems } from '../../../engine/index.ts';
import type { OpenServices } from '../../../main/headless/open.ts';
import { servicesIn } from '../../support/workspace.ts';
import { methods as methodList } from '../../../engine/rl/methods/index.ts';
import { sanityFacts, sanityHash } from '../../../engine/rl/tools/sanity-record.ts';

describe('the verdict on an effect from five seeds', () => {
  const baseline = [1, 2, 3, 4, 5];
  const above = baseline.map((value, at) => value + 0.5 + at / 10);
  const mixed = [2, 1, 4, 3, 5.1];
  test('holds when the whole interval of the paired difference lies on the claimed side', () => {
    expect(judge(above, baseline, 'higher')).toMatchObject({ verdict: 'holds', difference: 0.7 });
    expect(judge(above, baseline, 'lower').verdict).toBe('opposite');
    expect(judge(baseline, above, 'lower').verdict).toBe('holds');
  });
  test('is unclear when seeds disagree', () =>
    expect(judge(mixed, baseline, 'higher').verdict).toBe('unclear'));
});

test('effects have unique ids, and name a listed system of their cluster and what they measure', () => {
  expect(new Set(effects.map(({ id }) => id)).size).toBe(effects.length);
  for (const { id, system, cluster, cites, measure } of effects) {
    expect([cites, measure], id).toEqual([
      expect.stringMatching(/^arXiv:\d{4}\.\d{4,5}$/),
      expect.stringMatching(/\w{5}/),
    ]);
    if (system === null) expect(cluster, id).toBeNull();
    else expect(systems.find((each) => each.id === system)?.cluster, id).toBe(cluster);
  }
});

describe('both sides of each effect run as a plan', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-effects-'));
  let bench: OpenServices;
  beforeAll(async () => {
    bench = await servicesIn(folder, { engine: null });
  });
  afterAll(async () => {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  test.each(effects)('$id', { timeout: 120_000 }, async (effect) => {
    const { method, baseline } = await measureEffect(effect, 1, {
      bench,
      folder,
      most: effect.quickSteps ?? 2,
    });
    for (const { value, spent } of [method, baseline]) {
      expect(Number.isFinite(value)).toBe(true);
      expect(spent.updates + spent.tokens).toBeGreaterThan(0);
    }
  });
});

test('the list of methods has a passing toy run for each, and discards its stored result when the run changes', () => {
  expect(Object.keys(sanityResults)).toEqual(methods.map(({ id }) => id));
  for (const method of methodList) {
    const { id, sanity } = method;
    if (!sanity) {
      expect(sanityResults[id]).toBeNull();
      continue;
    }
    const record = { of: sanityHash(sanity), values: [1, 1, 1], seconds: 1, ok: true };
    expect(sanityFacts(method, { [id]: record })?.result).toEqual({
      values: [1, 1, 1],
      seconds: 1,
      ok: true,
    });
    expect(
      sanityFacts({ ...method, sanity: { ...sanity, metric: 'another' } }, { [id]: record })?.result,
    ).toBeNull();
  }
});
