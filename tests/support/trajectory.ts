import type { Trajectory } from '../../engine/schema/trajectory.ts';

/** A trajectory with defaults for fields irrelevant to a test. */
export const trajectory = (own: Partial<Trajectory> & Pick<Trajectory, 'id'>): Trajectory => ({
  role: 'policy',
  policyVersion: 'run/1/policy/0',
  step: 0,
  purpose: 'train',
  promptId: 'p',
  sample: 0,
  prompt: '1+1=?',
  completion: '2',
  tokens: Int32Array.of(5, 6, 7, 8),
  promptLength: 2,
  behaviorLogp: Float32Array.of(-0.5, -0.25),
  stopReason: 'end',
  temperature: 1,
  scores: { verifier: 1 },
  ...own,
});
