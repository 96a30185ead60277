import { crt } from './crt.ts';
import { ert } from './ert.ts';
import { evoscale } from './evoscale.ts';
import { imagenetRib } from './imagenet-rib.ts';
import { orso } from './orso.ts';
import { rle } from './rle.ts';
import { rleLanguage } from './rle-language.ts';
import { roer } from './roer.ts';
import { satori } from './satori.ts';
import { tango } from './tango.ts';
import { textToDrive } from './text-to-drive.ts';
import type { TenSystem } from './system.ts';

/** The ten systems to lead with. A new one is its file and one line here. */
export const ten: readonly TenSystem[] = [
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
