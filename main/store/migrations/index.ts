import { first } from './0001-first.ts';
import { models } from './0002-models.ts';
import { modelVersions } from './0003-model-versions.ts';
import { conversations } from './0004-conversations.ts';
import { keptCheckpoints } from './0005-kept-checkpoints.ts';
import { extraColumns } from './0006-extra-columns.ts';
import { bounded } from './0007-bounded.ts';
import { runOutcomes } from './0008-run-outcomes.ts';
import { rowSearch } from './0009-row-search.ts';
import { rowColumns } from './0010-row-columns.ts';
import { curation } from './0011-curation.ts';
import { datasetVersions } from './0012-dataset-versions.ts';
import { labelDetails } from './0013-label-details.ts';
import { promptRows } from './0014-prompt-rows.ts';
import { findings } from './0015-findings.ts';
import { lineage } from './0016-lineage.ts';
import { labelJudges } from './0017-label-judges.ts';
import { labelQuality } from './0018-label-quality.ts';
import { labelImports } from './0019-label-imports.ts';
import { stepDisputes } from './0020-step-disputes.ts';
import { inspectedPairs } from './0021-inspected-pairs.ts';
import { runImports } from './0022-run-imports.ts';
import { runFindings } from './0023-run-findings.ts';
import { sampleIndex } from './0024-sample-index.ts';
import { metricLevels } from './0025-metric-levels.ts';
import { experiments } from './0026-experiments.ts';
import { judgeReports } from './0027-judge-reports.ts';
import { runNotes } from './0028-run-notes.ts';
import { judgeMaps } from './0029-judge-maps.ts';
import { plans } from './0030-plans.ts';
import { planLabels } from './0031-plan-labels.ts';
import { shownContexts } from './0032-shown-contexts.ts';
import { answerOrigins } from './0033-answer-origins.ts';
import { evaluationInputs } from './0034-evaluation-inputs.ts';
import { arenaDecisions } from './0035-arena-decisions.ts';
import { startColumns } from './0036-start-columns.ts';
import { replies } from './0037-replies.ts';
import { arenaOrigins } from './0038-arena-origins.ts';
import type { Migration } from './migration.ts';

export type { Migration };

/** The migrations, in order and without gaps. */
export const migrations: readonly Migration[] = [
  first,
  models,
  modelVersions,
  conversations,
  keptCheckpoints,
  extraColumns,
  bounded,
  runOutcomes,
  rowSearch,
  rowColumns,
  curation,
  datasetVersions,
  labelDetails,
  promptRows,
  findings,
  lineage,
  labelJudges,
  labelQuality,
  labelImports,
  stepDisputes,
  inspectedPairs,
  runImports,
  runFindings,
  sampleIndex,
  metricLevels,
  experiments,
  judgeReports,
  runNotes,
  judgeMaps,
  plans,
  planLabels,
  shownContexts,
  answerOrigins,
  evaluationInputs,
  arenaDecisions,
  startColumns,
  replies,
  arenaOrigins,
];
