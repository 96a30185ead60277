import { basename } from 'node:path';
import type { ToolId } from '../../../preload/contract/logs.ts';
import { isObject, looseJson } from '../formats/loose-json.ts';
import { ProtoReader } from '../formats/protobuf.ts';
import { tfRecords } from '../formats/tf-record.ts';
import { hparamsOf } from './hparams.ts';
import { readRecords } from './records.ts';
import type { LogFile, LogReader, LogSink, LogSource } from './reader.ts';
import { scalarOf, stringOf } from './tensor.ts';

const tool: ToolId = 'tensorboard';

/** Kind of a tag as its first value announced it: later ones do not repeat it. */
type Plugins = Map<string, string>;

const plurals: { readonly [plugin: string]: string } = {
  histograms: 'histograms',
  images: 'images',
  text: 'texts',
  audio: 'audio clips',
  pr_curves: 'precision–recall curves',
  graphs: 'graphs',
};

/** A summary's value, tensorflow/core/framework/summary.proto. */
class Value {
  tag = '';
  scalar: number | null = null;
  tensor: Uint8Array | null = null;
  plugin = '';
  content: Uint8Array | null = null;
  other = '';

  constructor(fields: ProtoReader) {
    for (let field = fields.next(); field !== 0; field = fields.next()) {
      if (field === 1 || (field === 7 && this.tag === '')) this.tag = fields.text();
      else if (field === 2) this.scalar = fields.float();
      else if (field === 8) this.tensor = fields.bytes();
      else if (field === 9) this.#metadata(fields.nested());
      else {
        this.other = { 4: 'images', 5: 'histograms', 6: 'audio clips' }[field] ?? this.other;
        fields.skip();
      }
    }
  }

  #metadata(metadata: ProtoReader): void {
    for (let field = metadata.next(); field !== 0; field = metadata.next()) {
      if (field !== 1) {
        metadata.skip();
        continue;
      }
      const data = metadata.nested();
      for (let inner = data.next(); inner !== 0; inner = data.next()) {
        if (inner === 1) this.plugin = data.text();
        else if (inner === 2) this.content = data.bytes();
        else data.skip();
      }
    }
  }
}

/** Reads one event, tensorflow/core/util/event.proto. */
function readEvent(event: ProtoReader, plugins: Plugins, sink: LogSink): void {
  let [at, step] = [Number.NaN, 0];
  const summaries: Uint8Array[] = [];
  for (let field = event.next(); field !== 0; field = event.next()) {
    if (field === 1) at = event.double() * 1000;
    else if (field === 2) step = event.integer();
    else if (field === 5) summaries.push(event.bytes());
    else event.skip();
  }
  for (const bytes of summaries) {
    const summary = new ProtoReader(bytes);
    for (let field = summary.next(); field !== 0; field = summary.next()) {
      if (field === 1) readValue(new Value(summary.nested()), { at, step }, plugins, sink);
      else summary.skip();
    }
  }
}

function readValue(
  value: Value,
  { at, step }: { readonly at: number; readonly step: number },
  plugins: Plugins,
  sink: LogSink,
): void {
  if (value.plugin !== '') plugins.set(value.tag, value.plugin);
  const plugin = plugins.get(value.tag) ?? '';
  if (plugin === 'hparams') {
    if (value.content) sink.config(hparamsOf(value.content));
    return;
  }
  if (value.scalar !== null) return sink.point(value.tag, step, at, value.scalar);
  if (plugin === 'text' && value.tensor) return readText(value.tag, value.tensor, sink);
  const scalar = value.tensor && (plugin === '' || plugin === 'scalars') ? scalarOf(value.tensor) : null;
  if (scalar === null) sink.skipped(plurals[plugin] ?? (value.other || 'tensors'));
  else sink.point(value.tag, step, at, scalar);
}

/** Transformers writes its arguments and the model's configuration as texts of JSON. */
function readText(tag: string, tensor: Uint8Array, sink: LogSink): void {
  const text = /^(args|model_config)\b/.test(tag) ? stringOf(tensor) : null;
  try {
    const values = text === null ? null : looseJson(text);
    if (isObject(values)) return sink.config(tag.startsWith('args') ? values : { model_config: values });
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  sink.skipped('texts');
}

const isEvents = ({ name }: LogFile): boolean =>
  name.includes('tfevents') && !name.endsWith('.profile-empty');

/** TensorBoard: the event files of one folder are one run, in the order of their names, which begin with the time. */
export const tensorboard: LogReader = {
  find: (files) => {
    const folders = Map.groupBy(files.filter(isEvents), ({ folder }) => folder);
    return Promise.resolve(
      [...folders].map(([folder, own]): LogSource => ({
        tool,
        name: basename(folder),
        files: own.map(({ path }) => path).sort(),
        bytes: own.reduce((sum, { bytes }) => sum + bytes, 0),
      })),
    );
  },
  async *read({ files }, sink) {
    const plugins: Plugins = new Map();
    yield* readRecords(files, { batches: tfRecords, what: 'a TensorBoard event file' }, sink, (bytes) =>
      readEvent(new ProtoReader(bytes), plugins, sink),
    );
  },
};
