export { importLogs, listLogs, type LogImport } from './import.ts';
export { exportCurves, type CurveExport } from './export.ts';
