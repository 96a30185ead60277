import type * as z from 'zod';
import type { Call, Feed } from '../../preload/contract/define.ts';
import type { deriving } from '../../preload/contract/deriving.ts';
import type { lineage } from '../../preload/contract/lineage.ts';
import type { splits } from '../../preload/contract/splits.ts';

interface Known {
  readonly datasetId: string;
  readonly derivedId: string;
}
type CasesOf<D> = {
  readonly [K in keyof D]: D[K] extends Call<infer I> | Feed<infer I>
    ? {
        readonly valid: (known: Known) => z.input<I>;
        readonly invalid: (known: Known) => {
          readonly input: unknown;
          readonly kind: 'invalid-input' | 'not-found';
        };
      }
    : never;
};
interface DerivingCases {
  readonly deriving: CasesOf<typeof deriving>;
  readonly splits: CasesOf<typeof splits>;
  readonly lineage: CasesOf<typeof lineage>;
}

const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;
const parts = [
  { name: 'train', weight: 0.8 },
  { name: 'test', weight: 0.2 },
];

/** Cases of datasets made from datasets, of splits and of lineage. */
export const derivingCases: DerivingCases = {
  deriving: {
    plan: {
      valid: (w) => ({
        recipe: { kind: 'mixture', from: [{ datasetId: w.datasetId, weight: 1 }], rows: 40, repeats: true },
      }),
      invalid: (w) => ({
        input: { recipe: { kind: 'query', from: { datasetId: w.datasetId, query: 'colour:red' } } },
        kind: 'invalid-input',
      }),
    },
    make: {
      valid: (w) => ({ recipe: { kind: 'query', from: { datasetId: w.datasetId } }, name: 'a copy' }),
      invalid: absent({ recipe: { kind: 'query', from: { datasetId: 'nobody' } }, name: 'a copy' }),
    },
    tag: {
      valid: (w) => ({
        recipe: {
          kind: 'sample',
          from: { datasetId: w.datasetId },
          by: 'mark',
          rows: 2,
          allocation: 'equal',
        },
        tag: 'sample',
      }),
      invalid: (w) => ({
        input: { recipe: { kind: 'query', from: { datasetId: w.datasetId } }, tag: 'sample' },
        kind: 'invalid-input',
      }),
    },
    rebuild: { valid: (w) => ({ id: w.derivedId }), invalid: (w) => absent({ id: w.datasetId })() },
    state: {
      valid: (w) => ({ id: w.datasetId, version: 'saved' }),
      invalid: (w) => absent({ id: w.datasetId, version: 'none' })(),
    },
  },
  splits: {
    list: { valid: (w) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    make: {
      valid: (w) => ({ id: w.datasetId, split: { name: 'other', parts } }),
      invalid: (w) => ({
        input: { id: w.datasetId, split: { parts: [parts[0], parts[0]] } },
        kind: 'invalid-input',
      }),
    },
    leakage: {
      valid: (w) => ({ id: w.datasetId, name: 'split' }),
      invalid: (w) => absent({ id: w.datasetId, name: 'none' })(),
    },
  },
  lineage: {
    graph: {
      valid: (w) => ({ kind: 'dataset', id: w.derivedId, steps: 3 }),
      invalid: absent({ kind: 'evaluation', id: 'nobody/evaluation/x' }),
    },
    of: {
      valid: (w) => ({ kind: 'dataset', id: w.derivedId }),
      invalid: absent({ kind: 'run', id: 'nobody' }),
    },
  },
};
