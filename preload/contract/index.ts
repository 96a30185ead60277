import { compare } from './compare.ts';
import { curation } from './curation.ts';
import { datasets } from './datasets.ts';
import type { Client } from './define.ts';
import { demo } from './demo.ts';
import { exports } from './exports.ts';
import { labelBulk } from './label-bulk.ts';
import { labelImport } from './label-import.ts';
import { labels } from './labels.ts';
import { methods } from './methods.ts';
import { models } from './models.ts';
import { rewards } from './rewards.ts';
import { rows } from './rows.ts';
import { runs } from './runs.ts';
import { system } from './system.ts';
import { versions } from './versions.ts';
import { workspaces } from './workspaces.ts';

/** All endpoints of the page. Channel names are `domain.endpoint`. */
export const contract = {
  workspaces,
  datasets,
  rows,
  curation,
  versions,
  labels,
  labelBulk,
  labelImport,
  exports,
  models,
  methods,
  runs,
  rewards,
  compare,
  demo,
  system,
};
export type WhetstoneContract = typeof contract;
export type WhetstoneClient = Client<WhetstoneContract>;
