import type { ErrorKind } from '../../engine/common/errors.ts';

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

/** Errors of a specification itself, which another attempt does not change. */
export const specificationErrors: readonly ErrorKind[] = ['invalid-input', 'unsupported', 'not-found'];

/** True if another attempt can succeed: not of a done run, nor of one whose specification is the error. */
export const canResume = ({
  state,
  error,
}: {
  readonly state: RunState;
  readonly error: { readonly kind: ErrorKind } | null;
}): boolean =>
  !liveStates.includes(state) &&
  state !== 'done' &&
  !(state === 'failed' && error !== null && specificationErrors.includes(error.kind));
