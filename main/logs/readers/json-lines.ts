import { basename, dirname, extname } from 'node:path';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import type { ToolId } from '../../../preload/contract/logs.ts';
import { isObject, looseJson, numberOf, type Json } from '../formats/loose-json.ts';
import { linesOf, type TextLine } from '../formats/text-lines.ts';
import type { LogFile, LogReader, LogSink, LogSource } from './reader.ts';

/** Names of the step, the most usual first. */
const stepNames = [
  'step',
  'global_step',
  'current_steps',
  'train/global_step',
  'training/global_step',
  '_step',
];
/** Names of the time, in seconds since 1970 or as text. */
const timeNames = ['_timestamp', 'timestamp', 'wall_time', 'time'];

/** Facts of LLaMA-Factory’s lines that are about progress, not about the model. */
const progress = new Set([
  'total_steps',
  'percentage',
  'elapsed_time',
  'remaining_time',
  'throughput',
  'total_tokens',
]);

const parse = (text: string): unknown => {
  try {
    return looseJson(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};

const stepName = (values: Json): string | undefined =>
  stepNames.find((name) => Number.isInteger(numberOf(values[name])));

/** The metrics of a line, with its step; verl nests them under `data`. */
const partsOf = (values: Json): { readonly step: number; readonly metrics: Json } | null => {
  const name = stepName(values);
  if (name === undefined) return null;
  const metrics = isObject(values.data) ? values.data : values;
  return { step: Number(numberOf(values[name])), metrics };
};

/** The tool whose lines a file begins with; null if they are no log. */
async function toolOf({ name, head }: LogFile, isChosen: boolean): Promise<ToolId | null> {
  if (!/\.(jsonl|ndjson|json|log|txt)$/.test(name)) return null;
  const line = (await head())
    .toString('utf8')
    .split('\n')
    .find((each) => each.trim() !== '');
  const values = line === undefined ? undefined : parse(line);
  if (!isObject(values)) return null;
  const parts = partsOf(values);
  if (name === 'trainer_log.jsonl' || 'current_steps' in values) return parts && 'llama-factory';
  if (parts && isObject(values.data)) return 'verl';
  const isLog =
    parts && Object.keys(values).some((key) => typeof values[key] === 'number' && !stepNames.includes(key));
  // rows of a dataset may have a number and a step, too
  const hasTexts = Object.values(values).some((value) => typeof value === 'string' && value.length > 100);
  return isLog && (isChosen || !hasTexts) ? 'json-lines' : null;
}

const timeOf = (values: Json): number => {
  const name = timeNames.find((each) => values[each] !== undefined);
  if (name === undefined) return Number.NaN;
  const value = values[name];
  return typeof value === 'string' ? Date.parse(value) : (numberOf(value) ?? Number.NaN) * 1000;
};

function readValues(values: Json, tool: ToolId, sink: LogSink): void {
  const parts = partsOf(values);
  if (!parts) return sink.skipped('lines without a step');
  const at = timeOf(values);
  const total = tool === 'llama-factory' ? numberOf(values.total_steps) : null;
  if (total !== null) sink.planned(total);
  for (const [name, value] of Object.entries(parts.metrics)) {
    if (stepNames.includes(name) || timeNames.includes(name)) continue;
    if (tool === 'llama-factory' && progress.has(name)) continue;
    // verl writes numbers that are not finite as null
    const number = tool === 'verl' && value === null ? Number.NaN : numberOf(value);
    if (number !== null) sink.point(name, parts.step, at, number);
    else if (value !== null) sink.skipped('values that are no numbers');
  }
}

/** Reads a line; false at the damaged end of a file. */
function readLine(
  { line, text, isOpen }: TextLine,
  { path, tool }: { path: string; tool: ToolId },
  sink: LogSink,
) {
  if (text.trim() === '') return true;
  const values = parse(text);
  if (isObject(values)) {
    readValues(values, tool, sink);
    return true;
  }
  if (!isOpen)
    throw new WhetstoneError('invalid-input', 'This line is no JSON object.', {
      where: `${path}, line ${line}`,
      hint: 'Remove the line, or choose another file.',
    });
  sink.damaged({ path, at: `line ${line}`, reason: 'the last line is incomplete' });
  return false;
}

const general = new Set(['trainer_log.jsonl', 'metrics.jsonl', 'log.jsonl', 'logs.jsonl', 'train.jsonl']);

/** JSON lines with a step and numbers: LLaMA-Factory’s `trainer_log.jsonl`, verl’s file logger, and others. */
export const jsonLines: LogReader = {
  async find(files, isChosen) {
    const found: LogSource[] = [];
    for (const file of files) {
      const tool = await toolOf(file, isChosen);
      // the trainer's state beside it holds more
      const isRepeated =
        file.name === 'trainer_log.jsonl' &&
        files.some(({ name, folder }) => name === 'trainer_state.json' && folder === file.folder);
      if (tool === null || isRepeated) continue;
      const own = basename(file.name, extname(file.name));
      found.push({
        tool,
        name: general.has(file.name) ? basename(dirname(file.path)) : own,
        files: [file.path],
        bytes: file.bytes,
      });
    }
    return found;
  },
  async *read({ files: [path], tool }, sink) {
    for await (const { lines, bytes } of linesOf(path)) {
      for (const line of lines) readLine(line, { path, tool }, sink);
      yield bytes;
    }
  },
};
