import type { behaviours } from '../../preload/contract/behaviours.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import type { Case } from './case-types.ts';

type BehaviourCases = { readonly [K in keyof typeof behaviours]: Case<(typeof behaviours)[K] & Endpoint> };

const world = 'control/lane-grid';

/** Calls of the editor of charts. */
export const behaviourCases: BehaviourCases = {
  open: {
    valid: (w) => ({ runId: w.runId }),
    invalid: () => ({ input: { runId: 'nobody' }, kind: 'not-found' }),
  },
  check: {
    valid: () => ({ world, chart: {}, runId: null }),
    invalid: () => ({ input: { world, chart: {}, runId: 'nobody' }, kind: 'not-found' }),
    refusedByStandIn: true,
  },
};
