import { basename, dirname } from 'node:path';
import { WhetstoneError } from '../../../engine/common/errors.ts';
import { blocksOf } from '../formats/blocks.ts';
import { levelDbRecords, wandbHeader } from '../formats/leveldb-log.ts';
import { isObject, looseJson, numberOf } from '../formats/loose-json.ts';
import { MalformedMessage, ProtoReader } from '../formats/protobuf.ts';
import { readRecords } from './records.ts';
import type { LogReader, LogSink, LogSource } from './reader.ts';

/** An item of a history, a configuration or a summary: its key, from the outermost on, and its value. */
interface Item {
  readonly path: readonly string[];
  readonly value: unknown;
}

/** Parses JSON in a record. Throws `MalformedMessage`. */
function json(text: string): unknown {
  try {
    return looseJson(text);
  } catch (error) {
    throw new MalformedMessage(`a value is no JSON: ${(error as Error).message}`);
  }
}

/** Undoes the zigzag encoding of an sint64. */
const unzigzag = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Items are alike in all records: wandb/proto/wandb_internal.proto. */
function itemOf(fields: ProtoReader): Item {
  let [key, value]: [string, unknown] = ['', null];
  const nested: string[] = [];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) key = fields.text();
    else if (field === 2) nested.push(fields.text());
    else if (field === 4) value = fields.integer() !== 0;
    else if (field === 5) value = unzigzag(fields.integer());
    else if (field === 6) value = fields.double();
    else if (field === 7) value = fields.text();
    else if (field === 8 || field === 16) value = json(fields.text());
    else fields.skip();
  }
  return { path: nested.length > 0 ? nested : [key], value };
}

function itemsOf(fields: ProtoReader, of: number): Item[] {
  const items: Item[] = [];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === of) items.push(itemOf(fields.nested()));
    else fields.skip();
  }
  return items;
}

/** The numbers of a value and what is below it, by names joined with dots; media are counted instead. */
function* numbersOf(name: string, value: unknown, sink: LogSink): Generator<readonly [string, number]> {
  const number = numberOf(value);
  if (number !== null) yield [name, number];
  else if (isObject(value) && typeof value._type === 'string')
    sink.skipped(`values of the type ${value._type}`);
  else if (isObject(value))
    for (const [key, inner] of Object.entries(value)) yield* numbersOf(`${name}.${key}`, inner, sink);
  else if (value !== null) sink.skipped(typeof value === 'string' ? 'texts' : 'lists');
}

type Tree = { [key: string]: unknown };

/** The object below a key, made if there is none. */
function below(object: Tree, key: string): Tree {
  const known = object[key];
  if (isObject(known)) return known as Tree;
  const made: Tree = {};
  object[key] = made;
  return made;
}

/** Puts items with nested keys together to one value per outermost key. */
function tree(items: readonly Item[]): Map<string, unknown> {
  const root: Tree = Object.create(null) as Tree;
  for (const { path, value } of items) path.slice(0, -1).reduce(below, root)[path[path.length - 1]] = value;
  return new Map(Object.entries(root));
}

/** One call of `wandb.log`. Transformers logs its own step, since W&B counts calls. */
function readHistory(fields: ProtoReader, sink: LogSink): void {
  const values = tree(itemsOf(fields, 1));
  const step = numberOf(values.get('train/global_step') ?? values.get('_step'));
  const seconds = numberOf(values.get('_timestamp'));
  if (step === null || !Number.isInteger(step)) return sink.skipped('records without a step');
  for (const [key, value] of values) {
    if (key.startsWith('_') || key === 'train/global_step') continue;
    for (const [name, number] of numbersOf(key, value, sink))
      sink.point(name, step, (seconds ?? Number.NaN) * 1000, number);
  }
}

function readConfig(fields: ProtoReader, sink: LogSink): void {
  const values = tree(itemsOf(fields, 1));
  values.delete('_wandb');
  if (values.size > 0) sink.config(Object.fromEntries(values));
}

function readRun(fields: ProtoReader, sink: LogSink): void {
  let [id, name] = ['', ''];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) id = fields.text();
    else if (field === 4) readConfig(fields.nested(), sink);
    else if (field === 8) name = fields.text();
    else fields.skip();
  }
  if (name !== '' || id !== '') sink.called(name || id);
}

function readRecord(record: ProtoReader, sink: LogSink): void {
  for (let field = record.next(); field !== 0; field = record.next()) {
    if (field === 2) readHistory(record.nested(), sink);
    else if (field === 5) readConfig(record.nested(), sink);
    else if (field === 17) readRun(record.nested(), sink);
    else record.skip();
  }
}

/** Throws `invalid-input` if a file does not begin as W&B's files do; a shorter one was just created. */
async function requireHeader(path: string): Promise<void> {
  for await (const { bytes } of blocksOf(path)) {
    if (bytes.length < wandbHeader.length || bytes.subarray(0, wandbHeader.length).equals(wandbHeader))
      return;
    throw new WhetstoneError('invalid-input', 'This is not an offline file of Weights & Biases.', {
      where: `${path}, byte 0`,
      hint: 'Its first bytes differ from those of every version that is known.',
    });
  }
}

/** Weights & Biases: each `run-….wandb` of a folder is a run. */
export const wandb: LogReader = {
  find: (files) =>
    Promise.resolve(
      files
        .filter(({ name }) => name.endsWith('.wandb'))
        .map(({ path, name, bytes }): LogSource => ({
          tool: 'wandb',
          name: basename(name, '.wandb') || basename(dirname(path)),
          files: [path],
          bytes,
        })),
    ),
  async *read({ files }, sink) {
    await requireHeader(files[0]);
    yield* readRecords(
      files,
      { batches: levelDbRecords, what: 'an offline file of Weights & Biases' },
      sink,
      (bytes) => readRecord(new ProtoReader(bytes), sink),
    );
  },
};
