import { confident } from './confident.ts';
import { cut } from './cut.ts';
import { exchanged } from './exchanged.ts';
import { flattered } from './flattered.ts';
import { negated } from './negated.ts';
import { padded } from './padded.ts';
import { paraphrased } from './paraphrased.ts';
import type { Probe } from './probe.ts';
import { reformatted } from './reformatted.ts';
import { reordered } from './reordered.ts';
import { repeated } from './repeated.ts';
import { wrongNumber } from './wrong-number.ts';

/** Every probe: first the edits that must not move a score, then those that must lower it. */
export const probes: readonly Probe[] = [
  padded,
  repeated,
  reformatted,
  flattered,
  confident,
  reordered,
  paraphrased,
  wrongNumber,
  cut,
  negated,
  exchanged,
];
export { probeEffect, SMALL_EFFECT, type ProbedScores, type ProbeEffect } from './effect.ts';
export type { Probe, ProbedAnswer } from './probe.ts';
