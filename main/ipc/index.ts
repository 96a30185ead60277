import type { Services } from '../services/services.ts';
import { answersHandlers } from './answers.ts';
import { behavioursHandlers } from './behaviours.ts';
import { columnsHandlers } from './columns.ts';
import { adjudicationHandlers } from './adjudication.ts';
import { compareHandlers } from './compare.ts';
import { experimentsHandlers } from './experiments.ts';
import { exploreHandlers } from './explore.ts';
import { curationHandlers } from './curation.ts';
import { datasetsHandlers } from './datasets.ts';
import { demoHandlers } from './demo.ts';
import { doctorHandlers } from './doctor.ts';
import { derivingHandlers } from './deriving.ts';
import { exportsHandlers } from './exports.ts';
import { headToHeadHandlers } from './head-to-head.ts';
import { insideHandlers } from './inside.ts';
import { inspectionsHandlers } from './inspections.ts';
import { judgeHandlers } from './judge.ts';
import { judgeMapsHandlers } from './judge-maps.ts';
import { labelBulkHandlers } from './label-bulk.ts';
import { labelImportHandlers } from './label-import.ts';
import { labelsHandlers } from './labels.ts';
import { lineageHandlers } from './lineage.ts';
import { logsHandlers } from './logs.ts';
import { methodsHandlers } from './methods.ts';
import { modelsHandlers } from './models.ts';
import { overoptimizationHandlers } from './overoptimization.ts';
import { plansHandlers } from './plans.ts';
import { probesHandlers } from './probes.ts';
import { qualityHandlers } from './quality.ts';
import { queueHandlers } from './queue.ts';
import { rewardsHandlers } from './rewards.ts';
import { rowsHandlers } from './rows.ts';
import { galleryHandlers } from './gallery.ts';
import { redTeamHandlers } from './red-team.ts';
import { runLogHandlers } from './run-log.ts';
import { runDoctorHandlers } from './run-doctor.ts';
import { runsHandlers } from './runs.ts';
import { samplesHandlers } from './samples.ts';
import type { AllHandlers } from './serve.ts';
import { splitsHandlers } from './splits.ts';
import { sqlHandlers } from './sql.ts';
import { startStatesHandlers } from './start-states.ts';
import { suitesHandlers } from './suites.ts';
import { systemHandlers } from './system.ts';
import { verdictsHandlers } from './verdicts.ts';
import { travelHandlers } from './travel.ts';
import { versionsHandlers } from './versions.ts';
import { workspacesHandlers } from './workspaces.ts';

/** The handlers of all endpoints; a missing one is a type error. */
export const handlersOf = (services: Services): AllHandlers => {
  const handlers: AllHandlers = {
    workspaces: workspacesHandlers(services),
    datasets: datasetsHandlers(services),
    rows: rowsHandlers(services),
    sql: sqlHandlers(services),
    curation: curationHandlers(services),
    versions: versionsHandlers(services),
    doctor: doctorHandlers(services),
    columns: columnsHandlers(services),
    answers: answersHandlers(services),
    deriving: derivingHandlers(services),
    splits: splitsHandlers(services),
    lineage: lineageHandlers(services),
    labels: labelsHandlers(services),
    judge: judgeHandlers(services),
    judgeMaps: judgeMapsHandlers(services),
    quality: qualityHandlers(services),
    adjudication: adjudicationHandlers(services),
    labelBulk: labelBulkHandlers(services),
    labelImport: labelImportHandlers(services),
    exports: exportsHandlers(services),
    models: modelsHandlers(services),
    methods: methodsHandlers(services),
    runs: runsHandlers(services),
    queue: queueHandlers(services),
    experiments: experimentsHandlers(services),
    plans: plansHandlers(services),
    runDoctor: runDoctorHandlers(services),
    runLog: runLogHandlers(services),
    gallery: galleryHandlers(services),
    redTeam: redTeamHandlers(services),
    behaviours: behavioursHandlers(services),
    samples: samplesHandlers(services),
    rewards: rewardsHandlers(services),
    inspections: inspectionsHandlers(services),
    inside: insideHandlers(services),
    probes: probesHandlers(services),
    suites: suitesHandlers(services),
    compare: compareHandlers(services),
    explore: exploreHandlers(services),
    headToHead: headToHeadHandlers(services),
    travel: travelHandlers(services),
    overoptimization: overoptimizationHandlers(services),
    verdicts: verdictsHandlers(services),
    startStates: startStatesHandlers(services),
    logs: logsHandlers(services),
    demo: demoHandlers(services, () => handlers),
    system: systemHandlers(services),
  };
  return handlers;
};
