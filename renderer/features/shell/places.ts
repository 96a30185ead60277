import type { LucideIcon } from '@lucide/svelte';

/** A screen as the rail and the help on keys show it. */
export interface Place {
  /** How its address begins. */
  readonly id: string;
  readonly title: string;
  /** The keys that open it from anywhere. */
  readonly keys: string;
  readonly icon: LucideIcon;
  /** It needs no workspace, and stands at the foot of the rail. */
  readonly anywhere?: true;
}
