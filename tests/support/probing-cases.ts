import type { Cases } from './case-types.ts';

const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;

/** Findings of probes by instructions. */
export const galleryCases: Cases['gallery'] = {
  of: { valid: (w) => ({ runId: w.sampledRunId }), invalid: absent({ runId: 'nobody' }) },
};

/** What attackers found. */
export const redTeamCases: Cases['redTeam'] = {
  of: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
  map: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
  attacks: {
    valid: (w) => ({ runId: w.runId, show: 'successful', limit: 5 }),
    invalid: absent({ runId: 'nobody' }),
  },
  toDataset: {
    valid: (w) => ({ runId: w.sampledRunId, kind: 'preferences', refusal: 'No.', name: 'refused attacks' }),
    invalid: absent({ runId: 'nobody', kind: 'refusals', refusal: 'No.', name: 'refused attacks' }),
  },
};
