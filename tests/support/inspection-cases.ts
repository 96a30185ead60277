import type { inspections } from '../../preload/contract/inspections.ts';
import type { Store } from '../../main/store/client.ts';
import type { Case, World } from './case-types.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import { largeIds } from './large-workspace.ts';

type InspectionCases = {
  readonly [K in keyof typeof inspections]: Case<(typeof inspections)[K] & Endpoint>;
};

const of = (w: World) => ({ runId: w.rewardRunId });
const nowhere = (own: object) => (w: World) =>
  ({ input: { runId: w.runId, ...own }, kind: 'not-found' }) as const;

/** Cases of the pairs behind an inspection; the reward run of the fixtures has one pair. */
export const inspectionCases: InspectionCases = {
  state: { valid: of, invalid: nowhere({}) },
  pairs: {
    valid: (w) => ({ ...of(w), order: 'hardest', limit: 5 }),
    invalid: nowhere({}),
  },
  columns: { valid: of, invalid: () => ({ input: { runId: 'nobody' }, kind: 'not-found' }) },
  slices: {
    valid: (w) => ({ ...of(w), by: ['length ratio', 'source'] }),
    invalid: (w) => ({ input: { ...of(w), by: [] }, kind: 'invalid-input' }),
  },
  temperature: { valid: of, invalid: nowhere({}) },
  lengths: { valid: of, invalid: nowhere({}) },
  against: {
    valid: (w) => ({ ...of(w), otherId: w.rewardRunId }),
    invalid: (w) => ({ input: { ...of(w), otherId: w.runId }, kind: 'not-found' }),
  },
  ensemble: {
    valid: (w) => ({ ...of(w), others: [w.otherRewardRunId] }),
    invalid: (w) => ({ input: { ...of(w), others: [w.rewardRunId] }, kind: 'invalid-input' }),
  },
  toDataset: {
    valid: (w) => ({ ...of(w), name: 'pairs' }),
    invalid: (w) => ({ input: { ...of(w), name: ' ' }, kind: 'invalid-input' }),
  },
  toLabels: {
    valid: (w) => ({ ...of(w), name: 'pairs' }),
    invalid: (w) => ({ input: { ...of(w), filter: { outcome: 'wrong' }, name: 'x' }, kind: 'invalid-input' }),
  },
  again: { valid: of, invalid: nowhere({}) },
};

/** Large uses of the store's calls about inspected pairs. */
export const inspectionCalls = (store: () => Store) =>
  ({
    'inspections.store': () =>
      store().client.inspections.store(largeIds.run, 1, {
        from: 0,
        total: largePairs,
        rows: Array.from({ length: 2000 }, (_none, i) => ({
          pairId: `${largeIds.labelSet}-${i}`,
          promptId: `p${i}`,
          prompt: 'Which?',
          chosen: 'an answer '.repeat(20),
          rejected: 'another answer',
          verdict: 'a' as const,
          chosenScore: 1,
          rejectedScore: 0,
          odds: 1,
          chosenTokens: 5,
          rejectedTokens: 6,
          chosenCorrect: null,
          rejectedCorrect: null,
          promptNumber: i,
          chosenNumber: 2 * i,
          rejectedNumber: 2 * i + 1,
        })),
      }),
    'inspections.numbers': () => store().client.inspections.numbers(largeIds.run),
    'inspections.texts': () =>
      store().client.inspections.texts(
        largeIds.run,
        Array.from({ length: 500 }, (_none, i) => 97 * i),
      ),
    'inspections.cells': () => store().client.inspections.cells(largeIds.run, 'labeler'),
    'inspections.shared': () => store().client.inspections.shared(largeIds.run, largeIds.run),
  }) as const;

/** Pairs of the large run's inspection. */
export const largePairs = 100_000;
