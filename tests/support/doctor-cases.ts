import type { Findings } from '../../preload/contract/doctor.ts';
import type { Store } from '../../main/store/client.ts';
import { storedCells } from '../../main/store/rows/computed-cells.ts';
import { largeIds } from './large-workspace.ts';
import { runDoctorCalls } from './run-doctor-cases.ts';

interface Fixtures {
  readonly datasetId: string;
  readonly sampledRunId: string;
}

const absent = (input: unknown) => () => ({ input, kind: 'not-found' }) as const;
const code = { by: 'code', code: 'answer.length' } as const;

/** Cases of the endpoints that examine datasets and compute from their rows. */
export const doctorCases = {
  doctor: {
    get: { valid: (w: Fixtures) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    examine: { valid: (w: Fixtures) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    fix: {
      valid: (w: Fixtures) =>
        ({
          id: w.datasetId,
          finding: 'exact-duplicates',
          fix: 'tag',
          version: 'tagged',
        }) as const,
      invalid: (w: Fixtures) =>
        ({
          input: { id: w.datasetId, finding: 'exact-duplicates', fix: 'mask' },
          kind: 'invalid-input',
        }) as const,
    },
  },
  columns: {
    list: { valid: (w: Fixtures) => ({ id: w.datasetId }), invalid: absent({ id: 'nobody' }) },
    preview: {
      valid: (w: Fixtures) => ({ id: w.datasetId, definition: code }) as const,
      invalid: absent({ id: 'nobody', definition: code }),
      refusedByStandIn: true,
    },
    compute: {
      valid: (w: Fixtures) => ({ id: w.datasetId, name: 'size', definition: code }) as const,
      invalid: (w: Fixtures) =>
        ({
          input: { id: w.datasetId, name: 'length', definition: code },
          kind: 'invalid-input',
        }) as const,
    },
  },
  answers: {
    showable: {
      valid: (w: Fixtures) => ({ from: { kind: 'run', runId: w.sampledRunId } }) as const,
      invalid: absent({ from: { kind: 'run', runId: 'nobody' } }),
    },
    save: {
      valid: (w: Fixtures) => ({ from: { kind: 'run', runId: w.sampledRunId }, name: 'written' }) as const,
      invalid: absent({ from: { kind: 'run', runId: 'nobody' }, name: 'written' }),
    },
    settle: {
      valid: () => ({}) as const,
      invalid: () => ({ input: { surplus: 1 }, kind: 'invalid-input' }) as const,
    },
  },
} as const;

/** Findings in no rows. */
export const nothingFound: Findings = {
  rows: 0,
  pairs: 0,
  tokenizer: null,
  unmeasured: 0,
  against: [],
  findings: [],
  baselines: {
    longestWins: { rate: null, interval: [0, 1], pairs: 0, finding: 'longest-loses' },
    firstWins: { rate: null, interval: [0, 1], pairs: 0, finding: 'first-loses' },
  },
  languages: [],
  lengths: [],
  judge: null,
  seconds: 0,
};

/** Large uses of the calls for findings and computed columns that are not short. */
export function doctorCalls(store: () => Store) {
  const id = largeIds.dataset;
  const put = async () => {
    const steps = await store().client.findings.steps(id);
    const all = Uint32Array.from({ length: 20_000 }, (_none, row) => row);
    const groups = Uint32Array.from(
      { length: 80_000 },
      (_none, at) => [2, 1, at >> 1, (at >> 1) + 1][at % 4],
    );
    const sets = Array.from({ length: 400 }, (_none, at) => ({ name: `set-${at}`, rows: all, groups }));
    await store().client.findings.put(id, { steps, summary: nothingFound, sets });
  };
  return {
    ...runDoctorCalls(store),
    'findings.put': put,
    'findings.get': () => store().client.findings.get(id),
    'findings.target': async () => {
      await store().client.findings.put(id, {
        steps: await store().client.findings.steps(id),
        summary: nothingFound,
        sets: [{ name: 'exact-duplicates', rows: Uint32Array.of(1, 2), groups: Uint32Array.of(2, 1, 1, 2) }],
      });
      return await store().client.findings.target(id, 'exact-duplicates', 'rest');
    },
    'computed.prepare': () => store().client.computed.prepare(id, 'size'),
    'rows.map': async () => {
      const cells = Array.from({ length: 20_000 }, (_none, row) => Math.sin(row));
      const since = await store().client.computed.prepare(id, 'map', { by: 'map' });
      const column = { name: 'map', definition: { by: 'map' }, query: '', author: 'me', since } as const;
      await store().client.curation.settle(id);
      await store().client.computed.add(id, column, storedCells(cells, cells.toReversed()));
      return await store().client.rows.map({ id, query: 'right', name: null, colour: 'source' });
    },
    'computed.add': async () => {
      const cells = Array.from({ length: 20_000 }, (_none, row) => `${row} `.repeat(40));
      for (let turn = 0; turn < 8; turn += 1) {
        const since = await store().client.computed.prepare(id, 'size');
        const column = { name: 'size', definition: { ...code, timeMs: 200 }, query: '', author: 'me', since };
        await store().client.curation.settle(id);
        await store().client.computed.add(id, column, storedCells(cells));
      }
    },
  } as const;
}
