import type { Device } from '../../../engine/runtime/index.ts';

/**
 * Where runs take place. `most`: no run takes more steps or asks more problems than these, to see that it
 * runs at all.
 */
export interface Lab {
  readonly device: Device;
  readonly most?: number;
}

export type Side = 'method' | 'baseline';

/** What a paper says of a method beside its baseline, as one number a seed at the same budget. */
export interface Claim {
  readonly id: string;
  /** In words: what is claimed, and in what world it is looked for here. */
  readonly title: string;
  readonly cites: string;
  readonly method: string;
  readonly baseline: string;
  /** What the number is, and which way the claim says that the method differs. */
  readonly measure: string;
  readonly better: 'lower' | 'higher';
  /** Both numbers of one seed, from the same start. */
  readonly of: (lab: Lab, seed: number) => Promise<Readonly<Record<Side, number>>>;
}
