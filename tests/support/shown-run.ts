import type { Run } from '../../preload/contract/runs.ts';

/** A finished run as the page has it. */
export const shownRun = (own: Partial<Run> = {}): Run => ({
  id: 'run',
  name: 'grpo-verifier',
  notes: '',
  tags: [],
  archived: false,
  state: 'done',
  method: 'grpo',
  spec: null,
  createdAt: 0,
  startedAt: 1000,
  endedAt: 36_000,
  attempt: 1,
  step: 80,
  totalSteps: 80,
  phase: '',
  secondsLeft: null,
  parameters: 1,
  error: null,
  outcome: { measure: 'pass@1', value: 0.76225, interval: [0.7285, 0.7939], kl: 0.504, step: 80 },
  warnings: [],
  lineage: { checkpoints: ['base'], datasets: [], labelSets: [], models: [] },
  ...own,
});
