import { cream } from './cream.ts';
import { eva } from './eva.ts';
import { orso } from './orso.ts';
import type { PlanPreset } from './preset.ts';
import { weakToStrong } from './weak-to-strong.ts';

/** Plans that ship with Whetstone, in the order of lists. */
export const presets: readonly PlanPreset[] = [weakToStrong, cream, eva, orso];
