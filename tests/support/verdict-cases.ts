import type { verdicts } from '../../preload/contract/verdicts.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import type { Case } from './case-types.ts';

type VerdictCases = { readonly [K in keyof typeof verdicts]: Case<(typeof verdicts)[K] & Endpoint> };

/** Cases of the verdicts of a verifier that is trained beside a policy; the run has none. */
export const verdictCases: VerdictCases = {
  ofRun: {
    valid: (w) => ({ runId: w.runId }),
    invalid: () => ({ input: { runId: 'nobody' }, kind: 'not-found' }),
  },
  transcripts: {
    valid: (w) => ({ runId: w.runId, from: 0, to: 9, kind: 'missed' }),
    invalid: () => ({ input: { runId: 'nobody', from: 0, to: 9 }, kind: 'not-found' }),
  },
};
