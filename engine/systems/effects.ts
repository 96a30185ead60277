/**
 * Measured claims of the leading systems, those that do not hold included. Figures are those of
 * tests/bench/README.md; `tests/contracts/every-effect.test.ts` compares both.
 */
import type { MeasuredSystem } from '../schema/systems.ts';
import { crt } from './effects/crt.ts';
import { ert } from './effects/ert.ts';
import { evoscale } from './effects/evoscale.ts';
import { imagenetRib } from './effects/imagenet-rib.ts';
import { orso } from './effects/orso.ts';
import { rle } from './effects/rle.ts';
import { roer } from './effects/roer.ts';
import { satori } from './effects/satori.ts';
import { tango } from './effects/tango.ts';
import { textToDrive } from './effects/text-to-drive.ts';
import type { SystemEffects } from './kernel/effect.ts';

export type { SystemEffects } from './kernel/effect.ts';

/** The measured systems. A new one is its file and one line here. */
export const effects: readonly SystemEffects[] = [
  crt,
  ert,
  evoscale,
  imagenetRib,
  orso,
  rle,
  roer,
  satori,
  tango,
  textToDrive,
];

/** The measurement of a system, with the command that repeats it; null for a system without. */
export const measuredOf = (id: string): MeasuredSystem | null => {
  const own = effects.find(({ system }) => system === id);
  if (!own) return null;
  const { seeds, budget, claims } = own;
  return { seeds, budget, command: `npm run bench -- ten --only ${id} --json`, claims: [...claims] };
};
