import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimate } from '../../main/store/series.ts';
import type { Series } from '../../preload/contract/runs.ts';
import { SeriesReader } from '../../renderer/features/runs/series-reader.ts';

type Port = ConstructorParameters<typeof SeriesReader>[1];

/** In-memory metrics of a run that implement the contract and count the points they send. */
class Far implements Port {
  readonly series = new Map<string, Map<number, number>>();
  sent = 0;
  most = 2000;
  attempt = 1;
  step = 0;
  /** Called after each series that it returns. */
  between: () => void = () => undefined;
  put(name: string, step: number, value: number): void {
    this.series.set(name, (this.series.get(name) ?? new Map<number, number>()).set(step, value));
    this.step = step;
  }
  whole(name: string, from = 0): Series {
    const points = [...(this.series.get(name) ?? [])]
      .filter(([step]) => step >= from)
      .sort(([a], [b]) => a - b);
    const column = (of: (point: [number, number]) => number) => Float64Array.from(points, of);
    const curve = {
      steps: column(([step]) => step),
      values: column(([, v]) => v),
      at: column(([step]) => step),
    };
    return { runId: 'r', name, ...decimate(curve, this.most) };
  }
  metricNames: Port['metricNames'] = async () => [...this.series.keys()].sort();
  metrics: Port['metrics'] = async ({ names, from }) =>
    names.map((name) => {
      const found = this.whole(name, from);
      this.sent += found.steps.length;
      this.between();
      return found;
    });
}

const begin = (most = 2000) => {
  const far = new Far();
  far.most = most;
  const reader = new SeriesReader('r', far);
  return { far, read: () => reader.read({ attempt: far.attempt, step: far.step }) };
};

describe('the curves of a run', () => {
  it('are read completely once, then only from the last step that may have changed', async () => {
    const { far, read } = begin();
    for (let step = 1; step <= 100; step++) far.put('loss', step, 1 / step);
    expect(await read()).toEqual([far.whole('loss')]);
    expect(far.sent).toBe(100);
    far.put('loss', 101, 5);
    far.put('loss', 102, Number.NaN);
    expect(await read()).toEqual([far.whole('loss')]);
    expect(far.sent).toBe(100 + 3);
  });

  it('include a late point of a step that was already read, and new metrics', async () => {
    const { far, read } = begin();
    for (let step = 1; step <= 5; step++) far.put('loss', step, 1);
    await read();
    far.put('eval/loss', 5, 2);
    far.put('loss', 5, 3);
    expect(await read()).toEqual([far.whole('eval/loss'), far.whole('loss')]);
  });

  it('lose no point that was stored between the reads of two metrics', async () => {
    const { far, read } = begin();
    const both = (step: number) => ['a', 'b'].forEach((name) => far.put(name, step, step));
    both(1);
    far.between = () => [2, 3].forEach(both);
    await read();
    far.between = () => undefined;
    both(4);
    expect(await read()).toEqual([far.whole('a'), far.whole('b')]);
  });

  it('are read again when an attempt repeats steps', async () => {
    const { far, read } = begin();
    for (let step = 1; step <= 8; step++) far.put('loss', step, 1);
    await read();
    far.attempt = 2;
    for (let step = 5; step <= 9; step++) far.put('loss', step, 2);
    expect(await read()).toEqual([far.whole('loss')]);
  });

  it('are read again once a new attempt advances: until then it has the step of the previous attempt', async () => {
    const { far, read } = begin();
    for (let step = 1; step <= 50; step++) far.put('loss', step, 1);
    await read();
    far.attempt = 2;
    await read();
    await read();
    for (let step = 41; step <= 60; step++) far.put('loss', step, 2);
    expect(await read()).toEqual([far.whole('loss')]);
    const { sent } = far;
    far.put('loss', 61, 2);
    expect(await read()).toEqual([far.whole('loss')]);
    expect(far.sent - sent).toBe(2);
  });

  it('of alternating roles are also read only from their last steps', async () => {
    const { far, read } = begin(100);
    const both = (step: number) => far.put(step % 2 ? 'policy/loss' : 'critic/loss', step, step);
    for (let step = 1; step <= 4000; step++) both(step);
    await read();
    both(4001);
    await read();
    const { sent } = far;
    for (let step = 4002; step <= 4100; step++) both(step);
    const shown = await read();
    expect(far.sent - sent).toBeLessThan(200);
    for (const { name, steps, high } of shown) {
      expect(steps.at(-1)).toBe(name === 'policy/loss' ? 4099 : 4100);
      expect([...steps]).toEqual([...steps].sort((x, y) => x - y));
      expect(high).toEqual(steps);
    }
  });

  it('follow a metric that is renamed because a second role has it too', async () => {
    const { far, read } = begin();
    far.put('loss', 1, 1);
    await read();
    far.series.delete('loss');
    for (const name of ['policy/loss', 'critic/loss']) for (const step of [1, 2]) far.put(name, step, step);
    expect(await read()).toEqual([far.whole('critic/loss'), far.whole('policy/loss')]);
  });

  it('do not grow without limit', async () => {
    const { far, read } = begin();
    for (let step = 1; step <= 9000; step++) {
      far.put('loss', step, step);
      if (step % 500 === 0) expect((await read())[0].steps.length).toBeLessThanOrEqual(4500);
    }
  });

  const point = fc.tuple(fc.integer({ min: 1, max: 3 }), fc.double({ min: -1, max: 1, noNaN: true }));
  it('do not depend on how often they are read, and hide no value within decimated points', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(7, 2000),
        fc.array(fc.array(point, { minLength: 1, maxLength: 40, size: 'max' }), {
          minLength: 1,
          maxLength: 5,
        }),
        async (most, portions) => {
          const { far, read } = begin(most);
          let shown: readonly Series[] = [];
          for (const portion of portions) {
            for (const [gap, value] of portion) far.put(value > 0 ? 'up' : 'down', far.step + gap, value);
            shown = await read();
          }
          for (const { name, steps, values, low, high } of shown) {
            const all = [...(far.series.get(name) ?? [])];
            if (!low || !high) {
              expect([...steps].map((step, i) => [step, values[i]])).toEqual(all);
              continue;
            }
            for (const [step, value] of all) {
              const at = steps.findIndex((each) => each >= step);
              expect(low[at]).toBeLessThanOrEqual(value);
              expect(high[at]).toBeGreaterThanOrEqual(value);
            }
          }
        },
      ),
    );
  });
});
