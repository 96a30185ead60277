import type { redTeam } from '../../preload/contract/red-team.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import type { Case } from './case-types.ts';

type RedTeamCases = { readonly [K in keyof typeof redTeam]: Case<(typeof redTeam)[K] & Endpoint> };

/** Cases of the red team of a run, which has no attacks. */
export const redTeamCases: RedTeamCases = {
  of: {
    valid: (w) => ({ runId: w.runId }),
    invalid: () => ({ input: { runId: 'nobody' }, kind: 'not-found' }),
  },
  attacks: {
    valid: (w) => ({ runId: w.runId, show: 'successful', limit: 5 }),
    invalid: () => ({ input: { runId: 'nobody' }, kind: 'not-found' }),
  },
};
