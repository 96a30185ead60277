import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Preflight } from '../../engine/schema/preflight.ts';
import type { Dataset, ImportPreview } from '../../preload/contract/datasets.ts';
import type { QueryRow } from '../../preload/contract/rows.ts';
import type { TriedPrompt } from '../../engine/schema/tried-prompt.ts';
import type { BrowsedSample } from '../../preload/contract/samples.ts';
import { ImportState } from '../../renderer/features/datasets/importing.svelte.ts';
import { RowQuery } from '../../renderer/features/datasets/row-query.svelte.ts';
import { WorldState } from '../../renderer/features/methods/world.svelte.ts';
import { TryState } from '../../renderer/features/models/try.svelte.ts';
import { ScorerState } from '../../renderer/features/rewards/scorer.svelte.ts';
import { EstimateState } from '../../renderer/features/runs/form/estimate.svelte.ts';
import { SampleBrowser } from '../../renderer/features/runs/browse/browser.svelte.ts';
import { Task } from '../../renderer/lib/task.svelte.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
const broken = () => new WhetstoneError('internal', 'no');

describe('an error clears the result of the previous input', () => {
  it('live scorer: shows no score, and keeps none for another text', async () => {
    vi.useFakeTimers();
    onTestFinished(() => {
      vi.useRealTimers();
    });
    let fails = false;
    const scorer = new ScorerState(
      { kind: 'run', id: 'r' },
      {
        score: async () => {
          if (fails) throw broken();
          return { scores: [1.5] };
        },
      },
    );
    scorer.edit({ prompt: 'p', completion: 'first' });
    scorer.keep();
    expect(scorer.kept, 'nothing is scored yet').toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    expect(scorer.score).toBe(1.5);
    fails = true;
    scorer.edit({ completion: 'second' });
    scorer.keep();
    expect(scorer.kept, 'the score belongs to the previous text').toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    expect([scorer.score, scorer.error?.message, scorer.busy]).toEqual([null, 'no', false]);
  });

  it('an answer of a model: none after an error, and marked as outdated after another prompt', () => {
    let fails = false;
    const answer = { tokens: [] } as unknown as TriedPrompt;
    const attempt = new TryState(
      { kind: 'model', id: 'm' },
      {
        try: (_input, tell, end) => {
          if (fails) end?.(broken());
          else {
            tell(answer);
            end?.();
          }
          return () => undefined;
        },
      },
    );
    attempt.prompt = 'one';
    attempt.ask();
    expect([attempt.answer, attempt.isOld]).toEqual([answer, false]);
    attempt.prompt = 'two';
    expect(attempt.isOld).toBe(true);
    fails = true;
    attempt.ask();
    expect([attempt.answer, attempt.error?.message, attempt.isOld]).toEqual([null, 'no', false]);
  });

  it('a problem of a world', async () => {
    let fails = false;
    const world = new WorldState('w', {
      worldSample: async () => {
        if (fails) throw broken();
        return { problem: {} } as never;
      },
    });
    await world.load();
    expect(world.sample).not.toBeNull();
    fails = true;
    world.choose({ split: 'heldout' });
    await settled();
    expect([world.sample, world.error?.message]).toEqual([null, 'no']);
  });

  it('an estimate', async () => {
    let fails = false;
    const estimate = new EstimateState({
      preflight: (_input, tell, end) => {
        if (fails) end?.(broken());
        else {
          tell({ phase: 'stepping', done: 1, total: 1, result: {} as Preflight });
          end?.();
        }
        return () => undefined;
      },
    });
    await estimate.ask({ a: 1 });
    expect(estimate.value).not.toBeNull();
    fails = true;
    await estimate.ask({ a: 2 });
    expect([estimate.value, estimate.error?.message]).toEqual([null, 'no']);
  });

  it('rows of another search, and answers of another kind', async () => {
    let fails = false;
    const pages = new RowQuery(
      {
        page: async () => {
          if (fails) throw broken();
          return { total: 3, more: false, rows: [{ row: 0 } as QueryRow] };
        },
        facets: () => new Promise(() => undefined),
      },
      () => undefined,
    );
    await settled();
    fails = true;
    pages.ask('other');
    await settled();
    expect([pages.total, pages.failed, pages.at(0)]).toEqual([null, true, undefined]);
    fails = false;
    pages.again();
    await settled();
    expect([pages.total, pages.failed]).toEqual([3, false]);

    const samples = new SampleBrowser(
      'r',
      {
        page: async () => {
          if (fails) throw broken();
          const sample = { id: 's', completion: 'text' } as BrowsedSample;
          return { total: 1, more: false, asOf: [1], samples: [sample], prompts: [] };
        },
        facets: () => new Promise(() => undefined),
        pending: async () => ({ answers: 0, texts: 0 }),
        tokens: () => Promise.reject(new Error('unused')),
        index: () => () => undefined,
      },
      { error: () => undefined, keep: () => undefined },
    );
    samples.open();
    await settled();
    expect([samples.total, samples.sampleAt(0)?.id]).toEqual([1, 's']);
    fails = true;
    samples.ask('purpose=train');
    expect([samples.sampleAt(0), samples.total], 'not even while the new ones are loading').toEqual([
      undefined,
      null,
    ]);
    await settled();
    expect([samples.sampleAt(0), samples.total, samples.failed]).toEqual([undefined, null, true]);
  });

  it('an import preview: cleared by an error, and by another path', async () => {
    let fails = false;
    const look = { path: '/a', name: 'a', doctor: { rejected: 2 }, rejected: [] } as unknown as ImportPreview;
    const stored: unknown[] = [];
    const importing = new ImportState(
      {
        upload: async () => ({ path: '/a' }),
        columns: async () => [],
        preview: (_input, tell, end) => {
          if (fails) end?.(broken());
          else {
            tell({ state: 'done', preview: look });
            end?.();
          }
          return () => undefined;
        },
        import: (input, tell, end) => {
          stored.push(input);
          tell({ state: 'done', dataset: {} as Dataset });
          end?.();
          return () => undefined;
        },
      },
      async () => undefined,
    );
    importing.path = '/a';
    importing.start();
    expect([importing.preview, importing.busy, stored]).toEqual([look, false, []]);
    importing.path = '/b';
    expect(importing.preview).toBeNull();
    importing.path = '/a';
    fails = true;
    importing.start();
    expect([importing.preview, importing.error?.message]).toEqual([null, 'no']);
    fails = false;
    importing.start();
    importing.store();
    expect(stored).toEqual([{ path: '/a', name: '', keepGoodLines: true }]);
    expect(importing.preview).toBeNull();
  });

  it('a new try clears the previous error', async () => {
    const task = new Task();
    await task.run(async () => {
      throw broken();
    });
    expect(task.error?.message).toBe('no');
    const { promise, resolve } = Promise.withResolvers<void>();
    const going = task.run(() => promise);
    expect([task.busy, task.error]).toEqual([true, null]);
    resolve();
    await going;
  });
});
