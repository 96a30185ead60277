import { methodsCommand, worldsCommand } from './catalogue.ts';
import { addRowCommand } from './add-row.ts';
import { answersCommand } from './answers.ts';
import { ceilingCommand } from './ceiling.ts';
import { chartCommand } from './chart.ts';
import { columnCommand } from './column.ts';
import { controlCommand } from './control.ts';
import { curateCommand, historyCommand, redoCommand, undoCommand } from './curate.ts';
import type { Command } from './command.ts';
import { compareCommand } from './compare.ts';
import { datasetExportCommand } from './dataset-export.ts';
import { datasetsCommand } from './datasets.ts';
import { demoCommand } from './demo.ts';
import { deriveCommand, mixCommand, sampleCommand } from './derive.ts';
import { devicesCommand } from './devices.ts';
import { doctorCommand } from './doctor.ts';
import { experimentCommand, experimentsCommand } from './experiments.ts';
import { exportCommand, mergeCommand } from './export.ts';
import { forgettingCommand } from './forgetting.ts';
import { generateCommand } from './generate.ts';
import { exportLogsCommand } from './export-logs.ts';
import { headToHeadCommand } from './head-to-head.ts';
import { inheritanceCommand } from './inheritance.ts';
import { insideCommand } from './inside.ts';
import { importCommand } from './import.ts';
import { importLogsCommand } from './import-logs.ts';
import { labelExportCommand } from './label-export.ts';
import { labelsCommand } from './labels.ts';
import { logCommand } from './log.ts';
import { noteCommand } from './note.ts';
import { lineageCommand } from './lineage.ts';
import { logitsCommand } from './logits.ts';
import { modelsCommand } from './models.ts';
import { overoptimizationCommand } from './overoptimization.ts';
import { planCommand, plansCommand } from './plans.ts';
import { probeCommand } from './probe.ts';
import { preflightCommand } from './preflight.ts';
import { queueCommand } from './queue.ts';
import { recommendedCommand } from './recommended.ts';
import { rescoreCommand } from './rescore.ts';
import { resultsCommand } from './results.ts';
import { resumeCommand } from './resume.ts';
import { rewardsCommand } from './rewards.ts';
import { rowsCommand } from './rows.ts';
import { runCommand } from './run.ts';
import { runDoctorCommand } from './run-doctor.ts';
import { runsCommand } from './runs.ts';
import { samplesCommand } from './samples.ts';
import { scoreCommand } from './score.ts';
import { selfTestCommand } from './selftest.ts';
import { serveCommand } from './serve.ts';
import { splitCommand } from './split.ts';
import { sqlCommand } from './sql.ts';
import { studyCommand } from './study.ts';
import { suiteCommand } from './suite.ts';
import { systemsCommand } from './systems.ts';
import { versionCommand } from './version.ts';
import { workspaceCommand } from './workspace.ts';

/** Every command, in the order of the help. */
export const commands: readonly Command[] = [
  demoCommand,
  studyCommand,
  importCommand,
  datasetsCommand,
  rowsCommand,
  sqlCommand,
  curateCommand,
  addRowCommand,
  undoCommand,
  redoCommand,
  historyCommand,
  versionCommand,
  doctorCommand,
  columnCommand,
  answersCommand,
  deriveCommand,
  sampleCommand,
  mixCommand,
  splitCommand,
  lineageCommand,
  recommendedCommand,
  preflightCommand,
  runCommand,
  experimentCommand,
  experimentsCommand,
  planCommand,
  plansCommand,
  resumeCommand,
  queueCommand,
  runsCommand,
  resultsCommand,
  noteCommand,
  logCommand,
  samplesCommand,
  compareCommand,
  headToHeadCommand,
  importLogsCommand,
  exportLogsCommand,
  runDoctorCommand,
  rescoreCommand,
  overoptimizationCommand,
  ceilingCommand,
  forgettingCommand,
  inheritanceCommand,
  rewardsCommand,
  chartCommand,
  probeCommand,
  insideCommand,
  suiteCommand,
  modelsCommand,
  exportCommand,
  mergeCommand,
  logitsCommand,
  generateCommand,
  scoreCommand,
  datasetExportCommand,
  labelsCommand,
  labelExportCommand,
  methodsCommand,
  worldsCommand,
  controlCommand,
  systemsCommand,
  devicesCommand,
  selfTestCommand,
  serveCommand,
  workspaceCommand,
];
