import { adjudicationQueries } from './labels/adjudication.ts';
import { checkpointQueries } from './checkpoints.ts';
import { curationQueries } from './curation/index.ts';
import { versionQueries } from './curation/versions.ts';
import type { StoreContext } from './context.ts';
import { computedQueries } from './curation/computed.ts';
import { datasetQueries } from './datasets.ts';
import { derivingQueries } from './deriving/index.ts';
import { lineageQueries } from './deriving/lineage.ts';
import { splitQueries } from './deriving/splits.ts';
import { eventQueries } from './events.ts';
import { evaluationScoreQueries } from './evaluation-scores.ts';
import { experimentQueries } from './experiments.ts';
import { exportQueries } from './exporting.ts';
import { findingQueries } from './findings.ts';
import { inspectionQueries } from './inspections/index.ts';
import { importedRunQueries } from './imported/runs.ts';
import { judgeReportQueries } from './judge-reports/index.ts';
import { disagreementQueries } from './labels/label-disagreements.ts';
import { labelJudgeQueries } from './labels/label-judge.ts';
import { labelQualityQueries } from './labels/label-quality.ts';
import { headToHeadQueries } from './labels/head-to-head.ts';
import { judgedAnswerQueries } from './labels/judged-answers.ts';
import { labelBulkQueries } from './labels/label-bulk.ts';
import { labelImportQueries } from './labels/label-import.ts';
import { labelReviewQueries } from './labels/label-review.ts';
import { labelSetQueries } from './labels/label-sets.ts';
import { labelUsageQueries } from './labels/label-usage.ts';
import { labelQueries } from './labels/labels.ts';
import { lineageGraphQueries } from './lineage/index.ts';
import { metricQueries } from './metrics.ts';
import { modelQueries } from './models.ts';
import { planQueries } from './plans.ts';
import { resultQueries } from './results.ts';
import { rowQueries } from './rows/index.ts';
import { runFindingQueries } from './run-findings.ts';
import { redTeamQueries } from './red-team.ts';
import { runLogQueries } from './run-log.ts';
import { runQueries } from './runs.ts';
import { sampleQueries } from './samples.ts';
import { sampledQueries } from './sampled/index.ts';
import { sqlQueries } from './sql/index.ts';
import { travelQueries } from './travel.ts';
import { verdictQueries } from './verdicts.ts';
import { workspaceQueries } from './workspace.ts';

/** The query modules, from which the client's type is derived. */
export const storeModules = (context: StoreContext) => {
  const datasets = datasetQueries(context);
  const runs = runQueries(context);
  const metrics = metricQueries(context);
  const samples = sampleQueries(context);
  const checkpoints = checkpointQueries(context);
  const results = resultQueries(context);
  const inspections = inspectionQueries(context);
  return {
    workspace: workspaceQueries(context),
    datasets,
    exporting: exportQueries(context),
    judgedAnswers: judgedAnswerQueries(context),
    rows: rowQueries(context),
    sql: sqlQueries(context),
    curation: curationQueries(context),
    versions: versionQueries(context),
    findings: findingQueries(context),
    computed: computedQueries(context),
    deriving: derivingQueries(context, datasets),
    splits: splitQueries(context),
    lineage: lineageQueries(context),
    lineageGraph: lineageGraphQueries(context),
    labelSets: labelSetQueries(context),
    labels: labelQueries(context),
    labelReview: labelReviewQueries(context),
    labelJudge: labelJudgeQueries(context),
    disagreements: disagreementQueries(context),
    labelQuality: labelQualityQueries(context),
    adjudication: adjudicationQueries(context),
    labelBulk: labelBulkQueries(context),
    labelImport: labelImportQueries(context),
    labelUsage: labelUsageQueries(context),
    headToHead: headToHeadQueries(context),
    models: modelQueries(context),
    runs,
    experiments: experimentQueries(context, runs),
    plans: planQueries(context, runs),
    importedRuns: importedRunQueries(context),
    runFindings: runFindingQueries(context),
    judgeReports: judgeReportQueries(context),
    runLog: runLogQueries(context),
    redTeam: redTeamQueries(context),
    metrics,
    samples,
    sampled: sampledQueries(context),
    travel: travelQueries(context),
    verdicts: verdictQueries(context),
    evaluationScores: evaluationScoreQueries(context),
    checkpoints,
    results,
    inspections,
    events: eventQueries(context, { runs, metrics, samples, checkpoints, results, inspections }),
  };
};
export type StoreModules = ReturnType<typeof storeModules>;
