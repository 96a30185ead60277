import type { LucideIcon } from '@lucide/svelte';

/** A screen in the rail and in the help. */
export interface Place {
  /** First part of its address. */
  readonly id: string;
  readonly title: string;
  /** The keyboard shortcut that opens it. */
  readonly keys: string;
  readonly icon: LucideIcon;
  /** Needs no workspace; shown at the foot of the rail. */
  readonly anywhere?: true;
}
