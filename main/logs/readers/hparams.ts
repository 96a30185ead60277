import { ProtoReader } from '../formats/protobuf.ts';

/** A google.protobuf.Value that is no list or object. */
function plainValue(fields: ProtoReader): unknown {
  let value: unknown = null;
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 2) value = fields.double();
    else if (field === 3) value = fields.text();
    else if (field === 4) value = fields.integer() !== 0;
    else fields.skip();
  }
  return value;
}

function entry(fields: ProtoReader): readonly [string, unknown] {
  let [key, value]: [string, unknown] = ['', null];
  for (let field = fields.next(); field !== 0; field = fields.next()) {
    if (field === 1) key = fields.text();
    else if (field === 2) value = plainValue(fields.nested());
    else fields.skip();
  }
  return [key, value];
}

/**
 * Hyperparameters of a session's start, as TensorBoard's hparams plugin keeps them
 * (tensorboard/plugins/hparams/plugin_data.proto); nothing for its other messages.
 */
export function hparamsOf(content: Uint8Array): Record<string, unknown> {
  const values: Record<string, unknown> = {};
  const data = new ProtoReader(content);
  for (let field = data.next(); field !== 0; field = data.next()) {
    if (field !== 3) {
      data.skip();
      continue;
    }
    const session = data.nested();
    for (let inner = session.next(); inner !== 0; inner = session.next()) {
      if (inner !== 1) {
        session.skip();
        continue;
      }
      const [key, value] = entry(session.nested());
      values[key] = value;
    }
  }
  return values;
}
