import type { Store } from '../../main/store/client.ts';
import type { Cases } from './case-types.ts';
import { largeIds } from './large-workspace.ts';

const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;

/** Cases of the endpoints of the run doctor. */
export const runDoctorCases = {
  runDoctor: {
    rules: { valid: () => ({}), invalid: () => ({ input: { surplus: 1 }, kind: 'invalid-input' }) },
    get: { valid: (w) => ({ id: w.runId }), invalid: absent({ id: 'nobody' }) },
    watch: { valid: (w) => ({ id: w.runId }), invalid: absent({ id: 'nobody' }) },
    dismiss: {
      valid: (w) => ({ id: w.runId, rule: 'truncation', dismissed: true }),
      invalid: (w) => ({ input: { id: w.runId, rule: 'no-such-rule', dismissed: true }, kind: 'not-found' }),
    },
  },
} as const satisfies Pick<Cases, 'runDoctor'>;

/** Large uses of the calls of the run doctor that are not short. */
export const runDoctorCalls = (store: () => Store) =>
  ({
    'runFindings.outdated': () => store().client.runFindings.outdated(1),
    'runFindings.answers': () => store().client.runFindings.answers(largeIds.run),
  }) as const;
