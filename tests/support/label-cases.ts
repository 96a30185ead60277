import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoreClient } from '../../main/store/client.ts';
import type { Cases } from './case-types.ts';

const tooMuch = () => ({ input: { surplus: 1 }, kind: 'invalid-input' }) as const;
const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;
const wrong = (input: unknown) => () => ({ input, kind: 'invalid-input' }) as const;
const none = () => ({});

type Labels = 'labels' | 'judge' | 'quality' | 'adjudication' | 'labelBulk' | 'labelImport';

/** An import of one label into a set. */
export async function importForTest(store: StoreClient, setId: string): Promise<string> {
  const { pairs } = await store.labelSets.pairs(setId, 0, 1);
  const label = { verdict: 'a', value: null, labeler: 'imported', at: 1, rationale: '' } as const;
  const additions = pairs.map(({ pairId }) => ({ ...label, line: 1, pairId }));
  return await store.labelImport.store(setId, additions, 'labels.json');
}

/** Cases of the endpoints of labels, their judge and their quality. */
export const labelCases: Pick<Cases, Labels> = {
  labels: {
    sets: { valid: none, invalid: tooMuch },
    createSet: {
      valid: (w) => ({ from: { kind: 'dataset', datasetId: w.datasetId } }),
      invalid: absent({ from: { kind: 'run', runId: 'nobody' } }),
    },
    renameSet: {
      valid: (w) => ({ id: w.setId, name: 'renamed' }),
      invalid: absent({ id: 'nobody', name: 'x' }),
    },
    removeSet: { valid: (w) => ({ id: w.setId }), invalid: absent({ id: 'nobody' }) },
    queue: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    pair: { valid: (w) => ({ pairId: w.pairId }), invalid: absent({ pairId: 'nobody' }) },
    decide: {
      valid: (w) => ({ pairId: w.pairId, verdict: 'a' }),
      invalid: (w) => ({ input: { pairId: w.pairId, verdict: 'up' }, kind: 'invalid-input' }),
    },
    undo: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    recent: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    history: { valid: (w) => ({ pairId: w.pairId }), invalid: absent({ pairId: 'nobody' }) },
    redo: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    reference: { valid: (w) => ({ pairId: w.pairId }), invalid: absent({ pairId: 'nobody' }) },
    review: {
      valid: (w) => ({ setId: w.setId, filter: { choice: 'left', text: 'x' } }),
      invalid: absent({ setId: 'nobody' }),
    },
    set: { valid: (w) => ({ id: w.setId }), invalid: absent({ id: 'nobody' }) },
    setOptions: {
      valid: (w) => ({ id: w.setId, options: { guidelines: 'Prefer short answers.' } }),
      invalid: (w) => ({ input: { id: w.setId, options: { overlap: 0 } }, kind: 'invalid-input' }),
    },
    optionUsage: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    labelers: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    progress: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    decideMany: {
      valid: (w) => ({ labeler: 'script', decisions: [{ pairId: w.pairId, verdict: 'a' }] }),
      invalid: wrong({ labeler: 'script', decisions: [] }),
    },
    pairs: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    reading: {
      valid: (w) => ({ setId: w.setId, checkpointIds: [w.checkpointId] }),
      invalid: absent({ setId: 'nobody' }),
    },
    export: {
      valid: (w) => ({ setId: w.setId, path: join(w.folder, 'labels.jsonl') }),
      invalid: (w) => ({ input: { setId: 'nobody', path: join(w.folder, 'x') }, kind: 'not-found' }),
    },
  },
  judge: {
    orders: { valid: none, invalid: tooMuch },
    status: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    live: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    choose: {
      valid: (w) => ({
        setId: w.setId,
        settings: { order: 'by-cluster', params: { clusters: 3 }, every: 10 },
      }),
      invalid: (w) => ({
        input: { setId: w.setId, settings: { order: 'by-cluster', params: { clusters: 1 } } },
        kind: 'invalid-input',
      }),
    },
    fit: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    cancel: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    disagreements: {
      valid: (w) => ({ setId: w.setId, labeler: 'me', count: 3 }),
      invalid: absent({ setId: 'nobody' }),
    },
  },
  quality: {
    report: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    ceiling: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    gold: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    markGold: {
      valid: (w) => ({ setId: w.setId, items: [{ pairId: w.pairId, verdict: 'left' }] }),
      invalid: (w) => ({
        input: { setId: w.setId, items: [{ pairId: w.pairId, verdict: 'skip' }] },
        kind: 'invalid-input',
      }),
    },
    goldFromMarks: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    unmarkGold: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
  },
  adjudication: {
    queue: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    pair: { valid: (w) => ({ pairId: w.pairId }), invalid: absent({ pairId: 'nobody' }) },
    decide: {
      valid: (w) => ({ pairId: w.pairId, verdict: 'tie' }),
      invalid: (w) => ({ input: { pairId: w.pairId, verdict: 'up' }, kind: 'invalid-input' }),
    },
    undo: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    redo: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    recent: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    progress: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
  },
  labelBulk: {
    find: { valid: (w) => ({ setId: w.setId, text: 'x' }), invalid: absent({ setId: 'nobody' }) },
    items: {
      valid: (w) => ({ setId: w.setId, positions: [0] }),
      invalid: (w) => ({ input: { setId: w.setId, positions: [] }, kind: 'invalid-input' }),
    },
    decide: {
      valid: (w) => ({ setId: w.setId, positions: [0], choice: 'left' }),
      invalid: (w) => ({
        input: { setId: w.setId, positions: [0], choice: 'answered' },
        kind: 'invalid-input',
      }),
    },
    undo: {
      valid: (w) => ({ setId: w.setId, sequences: [0] }),
      invalid: absent({ setId: 'nobody', sequences: [0] }),
    },
  },
  labelImport: {
    run: {
      valid: (w) => {
        const path = join(w.folder, 'chosen.jsonl');
        writeFileSync(path, JSON.stringify({ prompt: 'p', chosen: 'x', rejected: 'y' }));
        return { setId: w.setId, path };
      },
      invalid: (w) => ({ input: { setId: 'nobody', path: join(w.folder, 'x') }, kind: 'not-found' }),
    },
    list: { valid: (w) => ({ setId: w.setId }), invalid: absent({ setId: 'nobody' }) },
    remove: {
      valid: (w) => ({ setId: w.setId, importId: w.importId }),
      invalid: (w) => ({ input: { setId: w.setId, importId: 'nobody' }, kind: 'not-found' }),
    },
  },
};
