import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readResult, resultSchemas, type ResultKind, type RunResult } from '../../engine/schema/results.ts';
import type { OpenServices } from '../../main/headless/open.ts';
import { fromJson } from '../../main/store/json.ts';
import { compare } from '../../preload/contract/compare.ts';
import { rewards } from '../../preload/contract/rewards.ts';
import { caught } from '../support/errors.ts';
import { parsedSpec, servicesIn } from '../support/workspace.ts';

/**
 * Results that versions of the engine have stored. Never edit an old file; add a new file for a new shape.
 */
interface Stored {
  readonly kind: ResultKind;
  /** The parts that differ between shapes. */
  readonly about: string;
  readonly value: unknown;
}
const folder = new URL('../support/stored-results/', import.meta.url);
const stored = readdirSync(folder).map(
  (name) => [name, fromJson<Stored>(readFileSync(new URL(name, folder), 'utf8'))] as const,
);

const home = mkdtempSync(join(tmpdir(), 'whetstone-'));
let bench: OpenServices;
beforeAll(async () => {
  bench = await servicesIn(home);
});
afterAll(async () => {
  await bench.close();
  rmSync(home, { recursive: true, force: true });
});

/** A run that has stored this result. */
async function runWith({ kind, value }: Stored): Promise<string> {
  const { store } = bench.services;
  const { id } = await store.runs.create(parsedSpec(), []);
  await store.runs.beginAttempt(id, null);
  const result = { kind, value } as RunResult;
  await store.events.commit([
    { type: 'result', runId: id, attempt: 1, role: 'policy', step: 1, sequence: 1, at: 0, ...result },
  ]);
  return id;
}

describe('stored results', () => {
  it('have a file for each kind', () =>
    expect(new Set(stored.map(([, { kind }]) => kind))).toEqual(new Set(Object.keys(resultSchemas))));

  it.each(stored)('%s can be read completely', (_name, { kind, value }) =>
    expect(readResult(kind, value)).toEqual(value),
  );

  it.each(stored)('the page receives %s as it was stored', async (_name, result) => {
    const id = await runWith(result);
    const [found] = await bench.api.runs.results({ id });
    expect([found.kind, found.value]).toEqual([result.kind, result.value]);
  });

  it.each(stored.filter(([, { kind }]) => kind === 'evaluation'))(
    '%s can be compared',
    async (_name, result) => {
      const id = await runWith(result);
      const found = await bench.api.compare.overview({ runIds: [id] });
      expect(compare.overview.output.parse(found).rows.map(({ evaluation }) => evaluation)).toEqual([
        result.value,
      ]);
      const { html } = await bench.api.compare.report({ runIds: [id], title: '', path: null });
      expect(html).toContain('pass@8');
    },
  );

  it.each(stored.filter(([, { kind }]) => kind === 'episodes'))(
    '%s can be compared',
    async (_name, result) => {
      const id = await runWith(result);
      const { rows } = compare.overview.output.parse(await bench.api.compare.overview({ runIds: [id] }));
      expect(rows).toMatchObject([{ evaluation: null, episodes: result.value }]);
      const { leftOut } = await bench.api.compare.conclude({ runIds: [id], baseline: null, folded: false });
      expect(leftOut).toMatchObject([{ reason: expect.stringContaining('episodes') as string }]);
      const { html } = await bench.api.compare.report({ runIds: [id], title: '', path: null });
      expect(html).toContain('Standard deviation of the return of one episode');
      expect(html).not.toContain('pass@1');
      const entries = await bench.api.runLog.of({ id });
      expect(JSON.stringify(entries)).toMatch(/return -?\d+\.\d+ in \d+ episodes/);
    },
  );

  it.each(stored.filter(([, { kind }]) => kind === 'reward-inspection'))(
    '%s can be inspected',
    async (_name, result) => {
      const id = await runWith(result);
      expect(rewards.inspect.output.parse(await bench.api.rewards.inspect({ runId: id }))).toEqual(
        result.value,
      );
    },
  );

  it('are rejected with the name of the invalid field', () =>
    expect(caught(() => readResult('preflight', { estimatedBytes: 1 }))).toMatchObject({
      kind: 'unsupported',
      where: expect.stringContaining('measuredBytes') as string,
    }));
});
