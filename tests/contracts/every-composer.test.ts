import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Component, Scored } from '../../engine/rewards/composers/composer.ts';
import { composers, openComposer } from '../../engine/rewards/composers/index.ts';

/** Values of parameters without a default. */
const required: { readonly [id: string]: object } = {
  constrained: { constraints: [{ scorer: 'length', least: 0.4 }] },
};

const components: readonly Component[] = [
  { name: 'verifier', weight: 1, where: 'rewards.0' },
  { name: 'format', weight: 0.5, where: 'rewards.1' },
  { name: 'length', weight: 2, where: 'rewards.2' },
  { name: 'novelty', weight: 0, where: 'rewards.3' },
];
const rows = 24;
const wave = (r: number, k: number): number => Math.round(50 * (1 + Math.sin(3 * r + 7 * k))) / 100;
const values = Object.fromEntries(
  components.map(({ name }, k) => [
    name,
    Float64Array.from({ length: rows }, (_, r) => (k === 0 ? Number(wave(r, k) > 0.5) : wave(r, k))),
  ]),
);
/** Rows in groups of 6, 6, 11 and 1. */
const groups = [[0, 1, 2, 3, 4, 5], [6, 7, 8, 9, 10, 11], Array.from({ length: 11 }, (_, i) => 12 + i), [23]];
const batch: Scored = { values, groups, rows, progress: 0.5 };
const close = (numbers: Float64Array): number[] => [...numbers].map((x) => Math.round(x * 1e9) / 1e9);

describe.each(composers.map((composer) => [composer.id, composer] as const))(
  'composer %s',
  (id, composer) => {
    const open = (of: readonly Component[] = components) =>
      openComposer({ id, params: { ...required[id] } }, of);
    const both = (scored: Scored, of = open()) => {
      const { total, credit = total } = of.compose(scored);
      return { total: close(total), credit: close(credit) };
    };

    test('gives one finite total per row, the same for the same rows, and none for none', () => {
      const { total, credit } = both(batch);
      expect([total.length, credit.length]).toEqual([rows, rows]);
      expect([...total, ...credit].every(Number.isFinite)).toBe(true);
      expect(both(batch)).toEqual({ total, credit });
      const none = Object.fromEntries(Object.keys(values).map((name) => [name, new Float64Array(0)]));
      expect(both({ values: none, groups: [], rows: 0, progress: 0 })).toEqual({ total: [], credit: [] });
    });

    test('follows its rows when they change their places', () => {
      const place = (r: number) => rows - 1 - r;
      const turned: Scored = {
        ...batch,
        values: Object.fromEntries(
          Object.entries(values).map(([name, column]) => [name, column.slice().reverse()]),
        ),
        groups: groups.map((group) => group.map(place)),
      };
      const { total, credit } = both(turned);
      expect({ total: total.reverse(), credit: credit.reverse() }).toEqual(both(batch));
    });

    test('does not depend on the order in which values are given, nor on scorers that have weight 0', () => {
      const others = Object.fromEntries(Object.entries(values).toReversed());
      expect(both({ ...batch, values: others })).toEqual(both(batch));
      const changed = { ...values, novelty: values.novelty.map((x) => 9 - x) };
      expect(both({ ...batch, values: changed })).toEqual(both(batch));
    });

    test('accepts a group of one row', () => {
      const one = Object.fromEntries(
        Object.entries(values).map(([name, column]) => [name, column.slice(0, 1)]),
      );
      const { total, credit } = both({ values: one, groups: [[0]], rows: 1, progress: 0.5 });
      expect([...total, ...credit].every(Number.isFinite)).toBe(true);
    });

    test('continues with the same bits from a state that was serialized as JSON', () => {
      const [whole, resumed] = [open(), open()];
      for (let step = 0; step < 3; step++) whole.compose(batch);
      const before = open();
      for (let step = 0; step < 3; step++) before.compose(batch);
      if (before.state) resumed.restore?.(JSON.parse(JSON.stringify(before.state())));
      const low = { ...batch, values: { ...values, length: values.length.map((x) => x / 4) } };
      for (let step = 0; step < 3; step++) expect(resumed.compose(low)).toEqual(whole.compose(low));
      expect(resumed.state?.()).toEqual(whole.state?.());
    });

    test('refuses an unknown parameter and a value that is not a number, with the path', () => {
      const refused = (params: object) => {
        try {
          openComposer({ id, params: { ...required[id], ...params } }, components);
        } catch (error) {
          return error;
        }
        return undefined;
      };
      expect(refused({ nonsense: 1 })).toMatchObject({
        kind: 'invalid-input',
        where: 'composer.params.nonsense',
      });
      const { properties = {} } = z.toJSONSchema(composer.params, { io: 'input' }) as {
        properties?: Record<string, { type?: string }>;
      };
      for (const [name, { type }] of Object.entries(properties))
        if (type === 'number')
          expect(refused({ [name]: Number.NaN })).toMatchObject({
            kind: 'invalid-input',
            where: `composer.params.${name}`,
          });
    });

    test('describes every parameter, and names its source', () => {
      const { properties = {} } = composer.info.params as {
        properties?: Record<string, { description?: string }>;
      };
      for (const [name, field] of Object.entries(properties)) expect(field.description, name).toBeTruthy();
      expect(composer.info.cites).toBeTruthy();
    });
  },
);
