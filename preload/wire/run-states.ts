/** States of a run, in the order of its life. `interrupted`: the engine died; the run can be resumed. */
export const runStates = [
  'queued',
  'running',
  'stopping',
  'stopped',
  'interrupted',
  'failed',
  'done',
] as const;
export type RunState = (typeof runStates)[number];

/** States of a run that waits or is worked on. */
export const liveStates: readonly RunState[] = ['queued', 'running', 'stopping'];
export const isLive = ({ state }: { readonly state: RunState }): boolean => liveStates.includes(state);
