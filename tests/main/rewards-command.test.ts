/** The command `rewards`, with a reward model that the real engine trains. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import type { RunSpecInput } from '../../engine/schema/run-spec.ts';
import { markFrom, markText } from '../../preload/wire/pair-mark.ts';
import type { PairMark } from '../../engine/schema/inspected-pair.ts';
import type { EnsembleReport } from '../../preload/contract/ensembles.ts';
import type { ShownPair } from '../../preload/contract/inspections.ts';
import type { JudgeMap, NearAnswer } from '../../preload/contract/judge-maps.ts';
import { caught } from '../support/errors.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';

type EnsembleAnswer = Omit<EnsembleReport, 'spread'> & { readonly spread: readonly number[] };
interface Page {
  readonly total: number;
  readonly pairs: readonly ShownPair[];
}
const refused = async (...args: string[]): Promise<string> => {
  const { code, value } = await cli('rewards', ...args, '--json');
  expect(code).toBe(1);
  return (value as { error: { message: string } }).error.message;
};

/** A workspace with a reward model, trained on right and wrong answers. */
async function trained(): Promise<{ workspace: string; runId: string }> {
  const folder = temporaryFolder();
  const workspace = join(folder, 'workspace');
  const at = ['--workspace', workspace, '--json'];
  const rows = Array.from({ length: 240 }, (_none, i) =>
    JSON.stringify({ prompt: `p${i >> 1}`, answer: i % 2 === 0 ? `yes ${i}` : 'no', correct: i % 2 === 0 }),
  );
  writeFileSync(join(folder, 'rows.jsonl'), rows.join('\n'));
  const imported = await cli('import', join(folder, 'rows.jsonl'), ...at);
  const spec: RunSpecInput = {
    name: 'judge',
    method: { id: 'bradley-terry', params: { trunk: 'trained' } },
    task: { kind: 'dataset', datasetId: (imported.value as { id: string }).id, heldout: 0.4 },
    models: {
      policy: {
        kind: 'new',
        architecture: { width: 16, layers: 1, heads: 2, context: 32 },
        tokenizer: { kind: 'characters' },
      },
    },
    budget: { steps: 8, batch: 8 },
  };
  writeFileSync(join(folder, 'spec.json'), JSON.stringify(spec));
  const ran = await cli('run', join(folder, 'spec.json'), '--anyway', ...at);
  return { workspace, runId: (ran.value as { run: { id: string } }).run.id };
}

/** Trains the same specification with another seed; returns the run's id. */
async function again(workspace: string): Promise<string> {
  const folder = join(workspace, '..');
  const spec = JSON.parse(readFileSync(join(folder, 'spec.json'), 'utf8')) as RunSpecInput;
  const path = join(folder, 'again.json');
  writeFileSync(path, JSON.stringify({ ...spec, name: 'again', seed: 1 }));
  const ran = await cli('run', path, '--anyway', '--workspace', workspace, '--json');
  return (ran.value as { run: { id: string } }).run.id;
}

describe('rewards', () => {
  it('shows, saves, slices and calibrates the held-out pairs of a run, and scores them again', async () => {
    const { workspace, runId } = await trained();
    const ask = async <T>(action: string, ...args: string[]): Promise<T> => {
      const { code, value } = await cli(
        'rewards',
        action,
        runId,
        ...args,
        '--workspace',
        workspace,
        '--json',
      );
      expect(code, JSON.stringify(value)).toBe(0);
      return value as T;
    };
    const page = await ask<Page>('pairs', '--sort', 'surest-error', '--limit', '200');
    expect(page.total).toBeGreaterThan(20);
    const margins = page.pairs.map(({ margin }) => margin);
    expect(margins).toEqual(margins.toSorted((a, b) => a - b));
    const right = await ask<Page>('pairs', '--outcome', 'right');
    const made = await ask<{ rows: number }>('pairs', '--outcome', 'right', '--to-dataset', 'sure');
    expect(made.rows).toBe(2 * right.total);
    const set = await ask('pairs', '--mark', 'positions:0,1', '--to-labels', 'two');
    expect(set).toMatchObject({ name: 'two', pairs: 2, labeled: 0 });
    expect(await ask('slices')).toContainEqual(expect.objectContaining({ name: 'source' }));
    const { slices } = await ask<{ slices: unknown[] }>('slices', '--by', 'source', '--by', 'length ratio');
    expect(slices.length).toBeGreaterThan(1);
    expect(await ask('temperature')).toMatchObject({ pairs: page.total });
    expect(await ask('against', runId)).toMatchObject({ agreement: 1, differing: 0 });

    const other = await again(workspace);
    const report = await ask<EnsembleAnswer>('ensemble', '--with', other);
    expect(report.judges.map(({ name }) => name)).toEqual(['judge', 'again']);
    expect(report.pairs).toBe(page.total);
    const disputed = await ask<Page>('pairs', '--with', other, '--sort', 'ensemble', '--limit', '200');
    const spreads = disputed.pairs.map(({ ensemble }) => ensemble?.spread ?? NaN);
    expect(spreads).toEqual(spreads.toSorted((a, b) => b - a));
    expect(spreads[0]).toBe(Math.max(...report.spread));
    expect(await refused('pairs', runId, '--sort', 'ensemble', '--workspace', workspace)).toContain('other');

    const map = await ask<JudgeMap>('map');
    expect(map).toMatchObject({ pairs: page.total, stale: null });
    expect((await ask<JudgeMap>('map')).at).toBe(map.at);
    const near = await ask<NearAnswer[]>('near', '--pair', '3', '--side', 'rejected');
    expect(near).toHaveLength(11);
    expect(near[0]).toMatchObject({ is: 'self', position: 3, side: 'rejected', cosine: 1 });

    // as an earlier version left it
    const db = new Database(join(workspace, 'workspace.db'));
    db.exec('delete from inspections; delete from inspected_pairs; delete from inspected_texts');
    db.close();
    expect(await refused('pairs', runId, '--workspace', workspace)).toContain('without its pairs');
    expect(await ask('inspect')).toEqual({ pairs: page.total });
    const scored = await ask<Page>('pairs', '--sort', 'surest-error', '--limit', '200');
    const marginOf = new Map(page.pairs.map(({ pairId, margin }) => [pairId, margin]));
    expect(scored.pairs).toHaveLength(page.pairs.length);
    for (const { pairId, margin } of scored.pairs) expect(margin).toBeCloseTo(marginOf.get(pairId) ?? NaN, 5);
  });

  it.each([
    [['fly', 'x'], 'no action'],
    [['pairs', 'x', '--sort', 'sideways'], '--sort is one of'],
    [['pairs', 'x', '--mark', 'margins'], 'no mark'],
    [['pairs', 'x', '--limit', '0'], '--limit must be'],
    [['near', 'x', '--pair', '1.5'], '--pair must be'],
  ])('refuses %j', async (args, word) => {
    expect(await refused(...args, '--workspace', 'w')).toContain(word);
  });
});

describe('the text of a mark', () => {
  it.each<PairMark>([
    { kind: 'margins', bin: 3 },
    { kind: 'slice', by: 'a:b, c', name: 'x:y/ä & 100 %' },
    { kind: 'positions', positions: [4, 0] },
    { kind: 'region', x: [-1.5, 2e-7], y: [null, 0] },
    { kind: 'region', x: [null, null], y: [3, null] },
  ])('is read as the mark again: %j', (mark) => {
    expect(markFrom(markText(mark))).toEqual(mark);
  });
  it.each([
    '',
    'margins',
    'margins:-1',
    'margins:x',
    'slice:a',
    'slice:%:b',
    'positions:',
    'other:1',
    'region:1..2',
    'region:1:2',
    'region:a..1:..',
  ])('refuses %j', (text) => {
    expect(caught(() => markFrom(text)).kind).toBe('invalid-input');
  });
});
