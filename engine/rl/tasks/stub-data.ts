/** Task data without readable rows: its sources have every column, enough to build a recipe. */
import type { SourceOptions } from './source-columns.ts';
import { controlWorlds } from '../../control/index.ts';
import type { TaskData } from './task-data.ts';

const never = (): never => {
  throw new Error('a stub task has no rows');
};
const stream = { size: 1000, at: never };

export const stubData: TaskData = {
  name: 'stub',
  texts: [],
  trainingTexts: [],
  examples: stream,
  worked: stream,
  graded: stream,
  problems: stream,
  pairs: stream,
  control: controlWorlds[0],
  hasReferences: false,
  heldout: { examples: [], pairs: [], graded: [], problems: [] },
};

export const stubOptions: SourceOptions = {
  tokenizer: {
    kind: 'bytes',
    vocabulary: 0,
    pad: 0,
    begin: null,
    end: 0,
    ends: [],
    encode: never,
    decode: never,
    toJson: never,
  },
  context: 0,
  maxTokens: 0,
  stack: { id: 'total', scorers: ['total'], empty: false, score: never },
};
