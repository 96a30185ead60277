import { attempts } from './attempts.ts';
import { bonus } from './bonus.ts';
import { coverage } from './coverage.ts';
import { distinctAnswers } from './distinct-answers.ts';
import { divergence } from './divergence.ts';
import { episodes } from './episodes.ts';
import { expectedFlat } from './expected-flat.ts';
import type { Probe } from './probe.ts';

/** Probes of every batch of rows. A new one is its file and one line here. */
export const rowProbes: readonly Probe[] = [
  expectedFlat,
  distinctAnswers,
  divergence,
  attempts,
  episodes,
  coverage,
  bonus,
];
