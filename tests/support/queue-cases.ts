import type { Store } from '../../main/store/client.ts';
import type { Cases } from './case-types.ts';
import { largeIds } from './large-workspace.ts';

const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;
const wrong = (input: unknown) => () => ({ input, kind: 'invalid-input' }) as const;
const tooMuch = wrong({ surplus: 1 });
const none = () => ({});
const nobody = { id: 'nobody' };
const axes = [{ path: 'no.such.setting', values: [1] }];

/** Cases of the endpoints of the queue and of experiments. */
export const queueCases = {
  queue: {
    get: { valid: none, invalid: tooMuch },
    watch: { valid: none, invalid: tooMuch },
    pause: { valid: none, invalid: tooMuch },
    goOn: { valid: none, invalid: tooMuch },
    move: { valid: (w) => ({ id: w.otherRunId, to: 1 }), invalid: absent({ ...nobody, to: 1 }) },
    setAtOnce: { valid: () => ({ atOnce: 1 }), invalid: wrong({ atOnce: 0 }) },
    stop: { valid: (w) => ({ ids: [w.otherRunId, 'nobody'] }), invalid: wrong({ ids: [] }) },
    resume: { valid: (w) => ({ ids: [w.runId] }), invalid: wrong({ ids: [] }) },
    archive: { valid: (w) => ({ ids: [w.runId], archived: true }), invalid: wrong({ ids: [] }) },
  },
  experiments: {
    plan: {
      valid: (w) => ({ spec: { base: w.spec } }),
      invalid: (w) => ({ input: { spec: { base: w.spec, axes } }, kind: 'invalid-input' }),
    },
    launch: {
      valid: (w) => ({ spec: { base: w.spec } }),
      invalid: (w) => ({ input: { spec: { base: w.spec, axes } }, kind: 'invalid-input' }),
    },
    list: { valid: none, invalid: tooMuch },
    get: { valid: (w) => ({ id: w.experimentId }), invalid: absent(nobody) },
    stop: { valid: (w) => ({ id: w.experimentId }), invalid: absent(nobody) },
    goOn: { valid: (w) => ({ id: w.experimentId }), invalid: absent(nobody) },
    remove: { valid: (w) => ({ id: w.experimentId }), invalid: absent(nobody) },
    ofRun: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
  },
} as const satisfies Pick<Cases, 'queue' | 'experiments'>;

/** Large uses of the calls for experiments that are not short. */
export const experimentCalls = (store: () => Store) =>
  ({
    'experiments.list': () => store().client.experiments.list(),
    'experiments.lastValues': () =>
      store().client.experiments.lastValues(
        Array.from({ length: 512 }, () => largeIds.run),
        'loss',
      ),
  }) as const;
