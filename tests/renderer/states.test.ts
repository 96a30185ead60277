import { describe, expect, it } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { DatasetRow } from '../../preload/contract/datasets.ts';
import type { Sample } from '../../preload/contract/runs.ts';
import { RowPages } from '../../renderer/features/datasets/row-pages.svelte.ts';
import { SamplesState } from '../../renderer/features/runs/samples.svelte.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

describe('rows of a dataset', () => {
  const row = (index: number) => ({ row: index, prompt: `p${index}` }) as DatasetRow;
  const all = Array.from({ length: 450 }, (_, index) => row(index));

  it('are fetched only for pages in view, each page once', async () => {
    const offsets: number[] = [];
    const pages = new RowPages(
      async ({ offset, limit }) => {
        offsets.push(offset);
        return { total: all.length, rows: all.slice(offset, offset + limit) };
      },
      () => undefined,
    );
    await settled();
    pages.need(180, 220);
    pages.need(190, 230);
    await settled();
    expect(offsets).toEqual([0, 100, 200]);
    expect([pages.total, pages.at(5)?.row, pages.at(215)?.row, pages.at(400)]).toEqual([
      450,
      5,
      215,
      undefined,
    ]);
  });
  it('ignore the reply to an outdated search', async () => {
    let release: (() => void) | undefined;
    const pages = new RowPages(
      async ({ search }) => {
        if (search === 'slow')
          await new Promise<void>((resolve) => {
            release = resolve;
          });
        return { total: search === 'fast' ? 1 : 2, rows: [row(search === 'fast' ? 7 : 8)] };
      },
      () => undefined,
    );
    pages.filter('slow', 'all');
    pages.filter('fast', 'all');
    await settled();
    release?.();
    await settled();
    expect([pages.total, pages.at(0)?.row]).toEqual([1, 7]);
  });
  it('are requested again after a failure', async () => {
    let fail = true;
    const errors: unknown[] = [];
    const pages = new RowPages(
      async () => {
        if (fail) throw new WhetstoneError('internal', 'no');
        return { total: 1, rows: [row(0)] };
      },
      (error) => errors.push(error),
    );
    await settled();
    expect([errors.length, pages.total]).toEqual([1, null]);
    fail = false;
    pages.need(0, 0);
    await settled();
    expect(pages.total).toBe(1);
  });
});

describe('the sample list', () => {
  const sample = (index: number) => ({ id: `s${index}` }) as Sample;

  it('keeps new samples behind a chip while the user reads', async () => {
    let total = 3;
    const state = new SamplesState(
      'run',
      {
        samples: async ({ offset = 0, limit = 50 }) => ({
          total,
          samples: Array.from({ length: total }, (_, index) => sample(total - 1 - index)).slice(
            offset,
            offset + limit,
          ),
        }),
      },
      () => undefined,
    );
    await state.reload();
    total = 15;
    state.arrived(5);
    state.arrived(7);
    expect([state.list.map(({ id }) => id), state.waiting]).toEqual([['s2', 's1', 's0'], 12]);
    await state.reload();
    expect([state.list[0].id, state.list.length, state.waiting]).toEqual(['s14', 15, 0]);
  });
  it('shows the first samples at once', async () => {
    let total = 0;
    const state = new SamplesState(
      'run',
      { samples: async () => ({ total, samples: total ? [sample(0)] : [] }) },
      () => undefined,
    );
    await state.reload();
    total = 1;
    state.arrived(1);
    await settled();
    expect([state.list.length, state.waiting]).toEqual([1, 0]);
  });
  it('loads more without repeating samples that have moved down', async () => {
    let total = 60;
    const state = new SamplesState(
      'run',
      {
        samples: async ({ offset = 0, limit = 50 }) => ({
          total,
          samples: Array.from({ length: total }, (_, index) => sample(total - 1 - index)).slice(
            offset,
            offset + limit,
          ),
        }),
      },
      () => undefined,
    );
    await state.reload();
    total = 64;
    state.arrived(4);
    await state.more();
    expect(new Set(state.list.map(({ id }) => id)).size).toBe(state.list.length);
    expect(state.list).toHaveLength(60);
  });
});
