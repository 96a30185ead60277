import { readFile } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { fileError } from '../formats/file-error.ts';
import { isObject, looseJson, numberOf, type Json } from '../formats/loose-json.ts';
import type { LogFile, LogReader, LogSink, LogSource } from './reader.ts';

/** A larger file is not read: the trainer keeps its history in memory, and so does this. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Entries between two reports. */
const REPORTED = 5000;

const checkpointStep = (folder: string): number =>
  Number(/^checkpoint-(\d+)$/.exec(basename(folder))?.[1] ?? -1);

/** The folder of a run: that above its checkpoints. */
const runFolder = (folder: string): string => (checkpointStep(folder) < 0 ? folder : dirname(folder));

/** Of a run's own state and those of its checkpoints, the newest, which holds the history of the others. */
const newest = (states: readonly LogFile[]): LogFile =>
  states.reduce((best, each) => {
    const [before, now] = [checkpointStep(best.folder), checkpointStep(each.folder)];
    return before >= 0 && (now < 0 || now > before) ? each : best;
  });

async function parsed(path: string, bytes: number): Promise<Json> {
  const refused = (message: string, hint: string): WhetstoneError =>
    new WhetstoneError('invalid-input', message, { where: path, hint });
  if (bytes > MOST_BYTES)
    throw refused(
      'This file is too large.',
      `At most ${MOST_BYTES / 1024 / 1024} MB are read of a trainer’s state.`,
    );
  try {
    const value = looseJson(await readFile(path, 'utf8'));
    if (isObject(value) && Array.isArray(value.log_history)) return value;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw fileError(error, path);
    throw refused(
      `This file is no JSON: ${error.message}.`,
      'It may have been cut off. Take that of a checkpoint.',
    );
  }
  throw refused('This is no state of a trainer: it has no log_history.', 'Choose trainer_state.json.');
}

function readEntry(entry: unknown, sink: LogSink): void {
  const step = isObject(entry) ? numberOf(entry.step) : null;
  if (!isObject(entry) || step === null || !Number.isInteger(step))
    return sink.skipped('entries without a step');
  for (const [name, value] of Object.entries(entry)) {
    if (name === 'step') continue;
    const number = numberOf(value);
    if (number !== null) sink.point(name, step, Number.NaN, number);
    else if (value !== null) sink.skipped('values that are no numbers');
  }
}

/** Facts of the state that tell how the run was configured. */
const configured = ['num_train_epochs', 'train_batch_size', 'eval_steps', 'logging_steps', 'save_steps'];

/** Transformers, TRL and LLaMA-Factory: `trainer_state.json` of an output folder or of its newest checkpoint. */
export const trainerState: LogReader = {
  async find(files, isChosen) {
    const states: LogFile[] = [];
    for (const file of files) {
      const isNamed = file.name === 'trainer_state.json';
      const holds =
        isChosen && file.name.endsWith('.json') && /"log_history"/.test((await file.head()).toString());
      if (isNamed || holds) states.push(file);
    }
    const runs = Map.groupBy(states, ({ folder, name }) => `${runFolder(folder)}/${name}`);
    return [...runs.values()].map((own): LogSource => {
      const { path, folder, bytes } = newest(own);
      const isFactory = files.some(
        (each) => each.name === 'trainer_log.jsonl' && each.folder === runFolder(folder),
      );
      return {
        tool: isFactory ? 'llama-factory' : 'transformers',
        name: basename(runFolder(folder)),
        files: [path],
        bytes,
      };
    });
  },
  async *read({ files: [path], bytes }, sink) {
    const state = await parsed(path, bytes);
    const steps = numberOf(state.max_steps);
    if (steps !== null && steps > 0) sink.planned(steps);
    const facts = configured.filter((name) => state[name] !== undefined && state[name] !== null);
    if (facts.length > 0) sink.config(Object.fromEntries(facts.map((name) => [name, state[name]])));
    if (isObject(state.trial_params)) sink.config(state.trial_params);
    for (const [i, entry] of (state.log_history as readonly unknown[]).entries()) {
      readEntry(entry, sink);
      if (i % REPORTED === 0) yield 0;
    }
    yield bytes;
  },
};
