import type { Device } from '../../../engine/runtime/index.ts';

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
  readonly of: (device: Device, side: 'method' | 'baseline', seed: number) => Promise<number>;
}
