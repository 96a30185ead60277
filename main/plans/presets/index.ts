import type { PlanPreset } from './preset.ts';

/** Plans that ship with Whetstone, in the order of lists. */
export const presets: readonly PlanPreset[] = [];
