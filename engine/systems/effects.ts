/**
 * Measured claims of the leading systems, those that do not hold included. Figures are those of
 * tests/bench/README.md; `tests/contracts/every-effect.test.ts` compares both.
 */
import type { MeasuredExperiment } from '../schema/systems.ts';
import { crt } from './effects/crt.ts';
import { ert } from './effects/ert.ts';
import { evoscale } from './effects/evoscale.ts';
import { imagenetRib } from './effects/imagenet-rib.ts';
import { orso } from './effects/orso.ts';
import { rleLanguage } from './effects/rle-language.ts';
import { rle } from './effects/rle.ts';
import { roer } from './effects/roer.ts';
import { satori } from './effects/satori.ts';
import { tango } from './effects/tango.ts';
import { textToDrive } from './effects/text-to-drive.ts';
import type { SystemEffects } from './kernel/effect.ts';

export type { SystemEffects } from './kernel/effect.ts';

/** The experiments. A new one is its file and one line here. */
export const effects: readonly SystemEffects[] = [
  crt,
  ert,
  evoscale,
  imagenetRib,
  orso,
  rle,
  rleLanguage,
  roer,
  satori,
  tango,
  textToDrive,
];

/** The id of an experiment, as the benchmark knows it. */
export const experimentId = ({ system, experiment }: SystemEffects): string => experiment?.id ?? system;

/** The experiments of a system, with the command that repeats each; empty for a system without. */
export const measuredOf = (id: string): MeasuredExperiment[] =>
  effects
    .filter(({ system }) => system === id)
    .map((own) => ({
      setting: own.experiment?.setting ?? null,
      seeds: own.seeds,
      budget: own.budget,
      command: `npm run bench -- ten --only ${experimentId(own)} --json`,
      claims: [...own.claims],
    }));
