import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systems } from '../../../engine/index.ts';
import type { OpenServices } from '../../../main/headless/open.ts';
import { findingOf, measureClaims } from '../../bench/ten.ts';
import { ten } from '../../bench/ten/index.ts';
import type { Claim } from '../../bench/ten/system.ts';
import { servicesIn } from '../../support/workspace.ts';

test('each of the ten is a listed system with claims of its own', () => {
  expect(new Set(ten.map(({ id }) => id)).size).toBe(ten.length);
  for (const { id, system = id, cites, claims } of ten) {
    expect(systems.map((listed) => listed.id)).toContain(system);
    expect(cites).toMatch(/^arXiv:\d{4}\.\d{4,5}$/);
    expect(new Set(claims.map(({ claim }) => claim)).size).toBe(claims.length);
    for (const { method, baseline } of claims) expect(method, id).not.toBe(baseline);
  }
});

test('a finding pairs the seeds, and holds only if its whole interval is on the claimed side', () => {
  const claim: Claim = {
    claim: 'less',
    method: 'a',
    baseline: 'b',
    measure: 'regret',
    better: 'lower',
    number: () => Promise.resolve(0),
  };
  const spent = (updates: number) => ({ tokens: 10 * updates, updates });
  const seeds = [1, 2, 3].map((value) => ({
    method: { value, spent: spent(2) },
    baseline: { value: 2 * value, spent: spent(value) },
  }));
  const found = findingOf(ten[0], claim, seeds);
  expect(found).toMatchObject({
    system: ten[0].id,
    seeds: 3,
    effect: -2,
    holds: true,
    ofMethod: [1, 2, 3],
    ofBaseline: [2, 4, 6],
    budget: { method: { tokens: 20, updates: 2 }, baseline: { tokens: 20, updates: 2 } },
  });
  expect(findingOf(ten[0], { ...claim, better: 'higher' }, seeds).holds).toBe(false);
});

describe('every claim can be measured', () => {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-ten-'));
  let bench: OpenServices;
  beforeAll(async () => {
    bench = await servicesIn(folder, { engine: null });
  });
  afterAll(async () => {
    await bench.close();
    rmSync(folder, { recursive: true, force: true });
  });
  test.each(ten)('$id', { timeout: 120_000 }, async (system) => {
    const found = await measureClaims(system, 1, { bench, folder, most: system.quickSteps ?? 2 });
    expect(found).toHaveLength(system.claims.length);
    for (const sides of found)
      for (const { value, spent } of Object.values(sides)) {
        expect(Number.isFinite(value)).toBe(true);
        expect(spent.updates + spent.tokens).toBeGreaterThan(0);
      }
  });
});
