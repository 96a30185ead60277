import { session } from './session.svelte.ts';

/** Starts the demo in the open workspace; a refusal shows a notice. */
export const startDemo = (): void => void session.attempt(() => session.client.demo.start({}));

/** Stops it after the current step of its run. */
export const stopDemo = (): void => void session.attempt(() => session.client.demo.stop({}));

/** True if it is in progress in the open workspace. */
export const demoGoesOn = (): boolean =>
  session.demo?.state === 'running' || session.demo?.state === 'stopping';
