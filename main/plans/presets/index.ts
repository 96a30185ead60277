import { campo } from './campo.ts';
import { cream } from './cream.ts';
import { eva } from './eva.ts';
import { impossibleLanguages } from './impossible-languages.ts';
import { orso } from './orso.ts';
import type { PlanPreset } from './preset.ts';
import { tulu3 } from './tulu-3.ts';
import { weakToStrong } from './weak-to-strong.ts';

/** Plans that ship with Whetstone, in the order of lists. */
export const presets: readonly PlanPreset[] = [
  weakToStrong,
  cream,
  eva,
  orso,
  tulu3,
  campo,
  impossibleLanguages,
];
