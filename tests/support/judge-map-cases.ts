import type { JudgeMapReport, JudgeMapSummary } from '../../engine/schema/judge-map.ts';
import type { Endpoint } from '../../preload/contract/define.ts';
import type { judgeMaps } from '../../preload/contract/judge-maps.ts';
import type { Case } from './case-types.ts';

type JudgeMapCases = { readonly [K in keyof typeof judgeMaps]: Case<(typeof judgeMaps)[K] & Endpoint> };

/** A stored map of the one pair of the fixtures' reward run. */
export const mapSummary: JudgeMapSummary = {
  attempt: 1,
  pairs: 1,
  placed: 1,
  answers: 2,
  cut: 0,
  width: 2,
  explained: [1, 0],
};
export const mapReport: JudgeMapReport = {
  positions: [0],
  chosen: [0],
  rejected: [1],
  x: [1, -1],
  y: [0, 0],
  neighbours: [[1], [0]],
  cosines: [[-1], [-1]],
};

/** Cases of maps of representations; the stand-in engine reads no answers. */
export const judgeMapCases: JudgeMapCases = {
  stored: {
    valid: (w) => ({ runId: w.rewardRunId }),
    invalid: (w) => ({ input: { runId: w.runId }, kind: 'not-found' }),
  },
  compute: {
    valid: (w) => ({ runId: w.rewardRunId, most: 1 }),
    invalid: (w) => ({ input: { runId: w.rewardRunId, most: 0 }, kind: 'invalid-input' }),
    refusedByStandIn: true,
  },
  near: {
    valid: (w) => ({ runId: w.rewardRunId, position: 0, side: 'chosen' }),
    invalid: (w) => ({ input: { runId: w.rewardRunId, position: 7, side: 'chosen' }, kind: 'not-found' }),
  },
};
