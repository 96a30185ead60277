import { behaviourCharts } from './behaviours.ts';
import { campo } from './campo.ts';
import { composing } from './composing.ts';
import { cream } from './cream.ts';
import { eva } from './eva.ts';
import { evolve } from './evoscale.ts';
import { exploreLanguage } from './explore-language.ts';
import { explore } from './explore.ts';
import { growing } from './growing.ts';
import { impossibleLanguages } from './impossible-languages.ts';
import { orso, rewardArena } from './orso.ts';
import type { PlanPreset } from './preset.ts';
import { probe } from './probe.ts';
import { coTraining } from './tango.ts';
import { replay } from './replay.ts';
import { robustness } from './robustness.ts';
import { redTeam } from './red-team.ts';
import { satori, startStates } from './satori.ts';
import { temporal } from './temporal.ts';
import { tulu3 } from './tulu-3.ts';
import { uncertainty } from './uncertainty.ts';
import { warmUp } from './warm-up.ts';
import { weakToStrong } from './weak-to-strong.ts';

/** Plans that ship with Whetstone, in the order of lists. */
export const presets: readonly PlanPreset[] = [
  weakToStrong,
  cream,
  temporal,
  uncertainty,
  eva,
  composing,
  growing,
  warmUp,
  orso,
  rewardArena,
  coTraining,
  robustness,
  replay,
  explore,
  exploreLanguage,
  redTeam,
  probe,
  behaviourCharts,
  satori,
  startStates,
  evolve,
  tulu3,
  campo,
  impossibleLanguages,
];
