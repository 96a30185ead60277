import type { Device } from '../../../engine/runtime/index.ts';

/** Environment for runs. `most` caps the steps and problems of every run, for a quick check. */
export interface Lab {
  readonly device: Device;
  readonly most?: number;
}

export type Side = 'method' | 'baseline';

/** A paper's claim about a method against its baseline, as one number per seed at the same budget. */
export interface Claim {
  readonly id: string;
  /** The claim, and the world in which it is tested here. */
  readonly title: string;
  readonly cites: string;
  readonly method: string;
  readonly baseline: string;
  /** The measured number, and the claimed direction of the difference. */
  readonly measure: string;
  readonly better: 'lower' | 'higher';
  /** Both numbers of one seed, from the same start. */
  readonly of: (lab: Lab, seed: number) => Promise<Readonly<Record<Side, number>>>;
}
