import { answers } from './answers.ts';
import { behaviours } from './behaviours.ts';
import { columns } from './columns.ts';
import { adjudication } from './adjudication.ts';
import { compare } from './compare.ts';
import { curation } from './curation.ts';
import { datasets } from './datasets.ts';
import type { Client } from './define.ts';
import { doctor } from './doctor.ts';
import { demo } from './demo.ts';
import { deriving } from './deriving.ts';
import { experiments } from './experiments.ts';
import { explore } from './explore.ts';
import { exports } from './exports.ts';
import { headToHead } from './head-to-head.ts';
import { inside } from './inside.ts';
import { inspections } from './inspections.ts';
import { judge } from './judge.ts';
import { judgeMaps } from './judge-maps.ts';
import { labelBulk } from './label-bulk.ts';
import { labelImport } from './label-import.ts';
import { labels } from './labels.ts';
import { lineage } from './lineage.ts';
import { logs } from './logs.ts';
import { methods } from './methods.ts';
import { models } from './models.ts';
import { overoptimization } from './overoptimization.ts';
import { plans } from './plans.ts';
import { probes } from './probes.ts';
import { quality } from './quality.ts';
import { queue } from './queue.ts';
import { rewards } from './rewards.ts';
import { rows } from './rows.ts';
import { gallery } from './gallery.ts';
import { redTeam } from './red-team.ts';
import { runLog } from './run-log.ts';
import { runDoctor } from './run-doctor.ts';
import { runs } from './runs.ts';
import { samples } from './samples.ts';
import { splits } from './splits.ts';
import { sql } from './sql.ts';
import { startStates } from './start-states.ts';
import { suites } from './suites.ts';
import { system } from './system.ts';
import { travel } from './travel.ts';
import { verdicts } from './verdicts.ts';
import { versions } from './versions.ts';
import { workspaces } from './workspaces.ts';

/** All endpoints of the page. Channel names are `domain.endpoint`. */
export const contract = {
  workspaces,
  datasets,
  rows,
  sql,
  curation,
  versions,
  doctor,
  columns,
  answers,
  deriving,
  splits,
  lineage,
  labels,
  judge,
  judgeMaps,
  quality,
  adjudication,
  labelBulk,
  labelImport,
  exports,
  models,
  methods,
  runs,
  queue,
  experiments,
  plans,
  runDoctor,
  runLog,
  redTeam,
  gallery,
  behaviours,
  samples,
  rewards,
  inspections,
  inside,
  probes,
  suites,
  compare,
  explore,
  overoptimization,
  verdicts,
  startStates,
  headToHead,
  travel,
  logs,
  demo,
  system,
};
export type WhetstoneContract = typeof contract;
export type WhetstoneClient = Client<WhetstoneContract>;
