import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { curveReader } from '../../../main/store/curves/reading.ts';
import { openDatabase, type Db } from '../../../main/store/database.ts';
import { chunkWriter } from '../../../main/store/metric-points.ts';
import { asBuckets, bruteCurve, type Recorded } from '../../support/brute-curves.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { parsedSpec } from '../../support/workspace.ts';

function database(): Db {
  const db = openDatabase(join(temporaryFolder(), 'workspace.db'), { create: true });
  onTestFinished(() => void db.close());
  db.prepare(
    "insert into runs (id, name, state, method, spec, created_at, queued_at) values ('r', '', 'done', 'sft', ?, 0, 0)",
  ).run(JSON.stringify(parsedSpec()));
  return db;
}

let series = 0;
/** Stores points as chunks of `length`, and what is left of each attempt as its tail. */
function store(db: Db, points: readonly Recorded[], length: number): number {
  const id = (series += 1);
  db.prepare("insert into metric_series (id, run_id, role, name) values (?, 'r', 'policy', ?)").run(
    id,
    `m${id}`,
  );
  const write = chunkWriter(db);
  const row = db.prepare('insert into metric_points values (?, ?, ?, ?, ?, ?)');
  for (const [attempt, own] of Map.groupBy(points, (point) => point.attempt)) {
    const whole = Math.floor(own.length / length) * length;
    for (let at = 0; at < whole; at += length) {
      const part = own.slice(at, at + length);
      const steps = Float64Array.from(part, ({ step }) => step);
      const values = Float64Array.from(part, ({ value }) => value);
      write(id, { attempt, sequence: at + 1, steps, at: steps, values });
    }
    own.slice(whole).forEach(({ step, value }, i) => {
      row.run(id, attempt, whole + i + 1, step, step, Number.isNaN(value) ? null : value);
    });
  }
  return id;
}

const anyValue = fc.oneof(
  { weight: 30, arbitrary: fc.double({ min: -10, max: 10, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY) },
);
/** An attempt: the step that it begins at, the distances between its points, and its values. */
const anyAttempt = fc.record({
  start: fc.integer({ min: 0, max: 3000 }),
  distances: fc.array(fc.constantFrom(1, 1, 1, 1, 2, 10, 0.25, 300), { minLength: 1, maxLength: 3 }),
  values: fc.array(anyValue, { minLength: 1, maxLength: 700 }),
  repeat: fc.integer({ min: 1, max: 8 }),
});
/** Points of attempts one after the other; a later one may begin before the end of an earlier one. */
const anyPoints = fc.array(anyAttempt, { minLength: 1, maxLength: 3 }).map((attempts) =>
  attempts.flatMap(({ start, distances, values, repeat }, i): Recorded[] => {
    let step = start;
    return Array.from({ length: values.length * repeat }, (_none, at) => {
      step += distances[at % distances.length];
      return { attempt: i + 1, step, value: values[at % values.length] };
    });
  }),
);
const anyWindow = fc.record({
  share: fc.tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.double({ min: 0, max: 1, noNaN: true })),
  zoom: fc.integer({ min: 0, max: 12 }),
  most: fc.integer({ min: 16, max: 400 }),
});

/** Steps of a window: a part of the series, the smaller the greater the zoom. */
function windowOf(
  points: readonly Recorded[],
  { share, zoom }: { share: readonly [number, number]; zoom: number },
) {
  const steps = points.map(({ step }) => step);
  const [first, last] = [Math.min(...steps), Math.max(...steps)];
  const from = first + share[0] * (last - first);
  return zoom === 0 ? [0, Number.MAX_VALUE] : [from, from + (share[1] * (last - first)) / 2 ** (zoom - 1)];
}

describe('a curve', () => {
  it('is what its points give, in any window and at any resolution, whatever is packed', () => {
    const db = database();
    fc.assert(
      fc.property(
        anyPoints,
        fc.constantFrom(4, 16, 64),
        fc.array(anyWindow, { minLength: 1, maxLength: 6 }),
        (points, length, windows) => {
          const id = store(db, points, length);
          const read = curveReader(db);
          for (const each of windows) {
            const [from, to] = windowOf(points, each);
            expect(asBuckets(read(id, from, to, each.most))).toEqual(bruteCurve(points, from, to, each.most));
          }
        },
      ),
      { numRuns: 150, seed: 1 },
    );
  });

  it('keeps its points in the order of steps where they were recorded in another, and the last of a step', () => {
    const db = database();
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.integer({ min: 0, max: 200 }), anyValue), { minLength: 1, maxLength: 600 }),
        anyWindow,
        (pairs, window) => {
          const points = pairs.map(([step, value]): Recorded => ({ attempt: 1, step, value }));
          const id = store(db, points, 16);
          const [from, to] = windowOf(points, window);
          expect(asBuckets(curveReader(db)(id, from, to, window.most))).toEqual(
            bruteCurve(points, from, to, window.most),
          );
        },
      ),
      { numRuns: 60, seed: 2 },
    );
  });

  it('shows a spike of one point, and a NaN, at any place and at any zoom', () => {
    const db = database();
    const length = 20_000;
    for (const [value, place] of [99, Number.NaN, Number.NEGATIVE_INFINITY].flatMap((each) =>
      [0, 1, 4095, 4096, 9_999, 19_999].map((at) => [each, at] as const),
    )) {
      const points = Array.from({ length }, (_none, step): Recorded => ({
        attempt: 1,
        step,
        value: step === place ? value : Math.sin(step),
      }));
      const id = store(db, points, 256);
      for (let span = length * 2; span > 10; span /= 3) {
        const { values, high } = curveReader(db)(id, Math.max(0, place - span / 2), place + span / 2, 100);
        if (Number.isFinite(value)) expect(Math.max(...(high ?? values))).toBe(value);
        else expect(values.some((each) => Object.is(each, value))).toBe(true);
      }
    }
  });

  it('has the same buckets in every window that shows them at one level', () => {
    const db = database();
    const points = Array.from({ length: 9000 }, (_none, step): Recorded => ({
      attempt: 1,
      step,
      value: Math.sin(step * step),
    }));
    const id = store(db, points, 512);
    const read = curveReader(db);
    const whole = new Map(asBuckets(read(id, 1000, 4000, 200)).map((bucket) => [bucket.step, bucket]));
    const moved = asBuckets(read(id, 1333, 4333, 200)).filter(({ step }) => step <= 4000);
    expect(moved.length).toBeGreaterThan(100);
    for (const bucket of moved) expect(bucket).toEqual(whole.get(bucket.step));
  });

  it('of no point is empty', () => {
    const db = database();
    const id = store(db, [{ attempt: 1, step: 5, value: 1 }], 4);
    expect(curveReader(db)(id, 6, 9, 100).steps).toHaveLength(0);
    expect(curveReader(db)(id, 9, 6, 100).steps).toHaveLength(0);
    expect([...curveReader(db)(id, 5, 5, 100).values]).toEqual([1]);
  });
});
