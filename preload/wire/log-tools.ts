/** The tools whose logs become runs, and their names. */
export const logTools = {
  tensorboard: 'TensorBoard',
  wandb: 'Weights & Biases',
  trackio: 'Trackio',
  transformers: 'Transformers and TRL',
  'llama-factory': 'LLaMA-Factory',
  verl: 'verl',
  'json-lines': 'JSON lines',
} as const;
export type LogTool = keyof typeof logTools;
export const logToolIds = Object.keys(logTools) as [LogTool, ...LogTool[]];

/** The formats of exported curves. `isFolder`: a folder with files per run, instead of one file. */
export const curveFormats = [
  {
    id: 'tensorboard',
    title: 'TensorBoard event files',
    extension: '',
    isFolder: true,
    cannotHold: 'Values are rounded to 32-bit floats.',
  },
  {
    id: 'wandb',
    title: 'Weights & Biases, offline',
    extension: '',
    isFolder: true,
    cannotHold: 'A step has one time: that of its latest metric.',
  },
  {
    id: 'csv',
    title: 'CSV, one row per point',
    extension: '.csv',
    isFolder: false,
    cannotHold: 'Nothing is lost: each row has run, metric, step, time and value.',
  },
  {
    id: 'csv-wide',
    title: 'CSV, one row per step',
    extension: '.csv',
    isFolder: false,
    cannotHold: 'Times are left out; a metric without a value at a step is an empty cell.',
  },
  {
    id: 'parquet',
    title: 'Parquet, one row per point',
    extension: '.parquet',
    isFolder: false,
    cannotHold: 'Nothing is lost: each row has run, metric, step, time and value.',
  },
] as const;
export type CurveFormat = (typeof curveFormats)[number]['id'];
export const curveFormatIds = curveFormats.map(({ id }) => id) as [CurveFormat, ...CurveFormat[]];
