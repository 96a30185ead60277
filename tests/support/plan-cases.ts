import type { Store, StoreClient } from '../../main/store/client.ts';
import type { Cases } from './case-types.ts';
import { smallSpec } from './workspace.ts';

const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;
const wrong = (input: unknown) => () => ({ input, kind: 'invalid-input' }) as const;
const tooMuch = wrong({ surplus: 1 });
const none = () => ({});
const nobody = { id: 'nobody' };
const unknownNode = { nodes: [{ id: 'a', answers: 'b' }] };

/** A stored plan that has not begun. */
export const planForTest = async (store: StoreClient, hash = 'planned'): Promise<string> => {
  const candidates = ['one', 'two'].map((id) => ({
    id,
    spec: smallSpec({ evaluation: { problems: 2, samples: 1 } }),
  }));
  const file = {
    nodes: [
      { id: 'a', spec: smallSpec() },
      { id: 'race', arena: { pulls: 2 }, candidates },
    ],
  };
  return (await store.plans.create({ name: 'planned', file, hash })).id;
};

/** Cases of the endpoints of plans. */
export const planCases = {
  plans: {
    preview: {
      valid: (w) => ({ plan: { nodes: [{ id: 'a', spec: w.spec }] } }),
      invalid: wrong({ plan: unknownNode }),
    },
    launch: {
      valid: (w) => ({ plan: { nodes: [{ id: 'a', spec: w.spec }] } }),
      invalid: wrong({ plan: unknownNode }),
    },
    list: { valid: none, invalid: tooMuch },
    get: { valid: (w) => ({ id: w.planId }), invalid: absent(nobody) },
    stop: { valid: (w) => ({ id: w.planId }), invalid: absent(nobody) },
    goOn: { valid: (w) => ({ id: w.planId }), invalid: absent(nobody) },
    decide: {
      valid: (w) => ({ id: w.planId, candidate: 'one', mode: 'pinned' }),
      invalid: absent({ ...nobody, candidate: 'one', mode: 'pinned' }),
    },
    inheritance: { valid: (w) => ({ id: w.planId }), invalid: absent(nobody) },
    forecast: { valid: (w) => ({ id: w.planId }), invalid: absent(nobody) },
    remove: { valid: (w) => ({ id: w.idlePlanId }), invalid: absent(nobody) },
    ofRun: { valid: (w) => ({ runId: w.runId }), invalid: absent({ runId: 'nobody' }) },
    presets: { valid: none, invalid: tooMuch },
  },
} as const satisfies Pick<Cases, 'plans'>;

/** Large uses of the calls for plans that are not short. */
export const planCalls = (store: () => Store) =>
  ({ 'plans.list': () => store().client.plans.list() }) as const;
