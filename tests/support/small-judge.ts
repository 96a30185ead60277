import type { RunSpecInput } from '../../engine/schema/run-spec.ts';

/** A small reward model on half of the rows of a dataset; the others are held out. */
export const smallJudge = (name: string, datasetId: string, seed = 0): RunSpecInput => ({
  name,
  method: { id: 'bradley-terry', params: { trunk: 'trained' } },
  task: { kind: 'dataset', datasetId, heldout: 0.5 },
  models: {
    policy: {
      kind: 'new',
      architecture: { width: 16, layers: 1, heads: 2, context: 96 },
      tokenizer: { kind: 'bytes' },
    },
  },
  budget: { steps: 12, batch: 16 },
  seed,
});
