import { defineProbe, type Measured } from './probe.ts';

/** Share of a world's states that the run has visited, and how evenly, where they are countable. */
export const coverage = defineProbe({
  id: 'coverage',
  needs: ['row/visited', 'row/spread'],
  measure: ({ 'row/visited': visited, 'row/spread': spread }): Measured =>
    // stored rows have no visits of their own while nothing is played
    visited[0] > 0 ? { 'coverage/states': visited[0], 'coverage/spread': spread[0] } : {},
});
