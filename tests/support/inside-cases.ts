import type { inside } from '../../preload/contract/inside.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import type { Case } from './case-types.ts';

type InsideCases = { readonly [K in keyof typeof inside]: Case<(typeof inside)[K] & Endpoint> };

/** Cases of what a judge shows of its inside; the stand-in engine has none. */
export const insideCases: InsideCases = {
  steps: {
    valid: (w) => ({ from: { kind: 'run', id: w.rewardRunId }, answer: { prompt: 'p', completion: 'a' } }),
    invalid: (w) => ({
      input: { from: { kind: 'run', id: w.rewardRunId }, answer: { reportId: 'nobody', position: 0 } },
      kind: 'not-found',
    }),
    refusedByStandIn: true,
  },
  answer: {
    valid: (w) => ({ from: { kind: 'run', id: w.rewardRunId }, prompt: 'p', completion: 'a' }),
    invalid: () => ({
      input: { from: { kind: 'checkpoint', id: 'nobody' }, prompt: 'p', completion: 'a' },
      kind: 'not-found',
    }),
    refusedByStandIn: true,
  },
};
