import type { CurveFormat } from '../../../preload/wire/log-tools.ts';
import { csv, csvWide } from './csv.ts';
import { parquet } from './parquet.ts';
import { tensorboard } from './tensorboard.ts';
import { wandb } from './wandb.ts';
import type { CurveWriter } from './writer.ts';

/** The writer of each format. */
export const curveWriters: { readonly [F in CurveFormat]: CurveWriter } = {
  tensorboard,
  wandb,
  csv,
  'csv-wide': csvWide,
  parquet,
};
