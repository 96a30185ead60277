import type { DType, TensorType } from '../tensor/types.ts';
import { MessageWriter } from './protobuf.ts';

/** An ONNX graph as plain data, limited to what this project writes. Field numbers are those of onnx.proto. */
export interface OnnxGraph {
  readonly name: string;
  readonly nodes: readonly OnnxNode[];
  readonly initializers: readonly OnnxTensor[];
  readonly inputs: readonly OnnxValue[];
  readonly outputs: readonly OnnxValue[];
  /** A first output that is a sequence of float scalars, by name. */
  readonly sequence?: string;
}
export interface OnnxNode {
  readonly type: string;
  /** `''` is ONNX's own set of operators. */
  readonly domain: string;
  readonly name: string;
  readonly inputs: readonly string[];
  readonly outputs: readonly string[];
  readonly attrs: Readonly<Record<string, OnnxAttr>>;
}
export type OnnxAttr =
  number | string | readonly number[] | { readonly float: number } | { readonly graph: OnnxGraph };
/** Values inside the model file, or bytes of an external file. */
export interface OnnxTensor extends TensorType {
  readonly name: string;
  readonly data: ArrayLike<number> | ExternalData;
}
/** A range of an external file, by its name: a model file itself holds at most 2 GB. */
export interface ExternalData {
  readonly file: string;
  readonly offset: number;
  readonly bytes: number;
}
/** A graph input or output; named axes are dynamic. */
export interface OnnxValue extends TensorType {
  readonly name: string;
  readonly axes?: Axes;
}
export type Axes = readonly (string | null)[];

/** Version of the operator set that the lowering writes. */
export const opset = 20;
const irVersion = 9;
const elementType: Record<DType, number> = { float32: 1, uint8: 2, int32: 6, int64: 7, bool: 9 };

/** Bytes of one element. */
export const bytesOf: Record<DType, number> = { float32: 4, uint8: 1, int32: 4, int64: 8, bool: 1 };

/** A whole model file. */
export const writeModel = (graph: OnnxGraph): Uint8Array =>
  new MessageWriter()
    .int(1, irVersion)
    .string(2, 'whetstone')
    .message(7, (w) => writeGraph(w, graph))
    .message(8, (w) => w.string(1, '').int(2, opset))
    .message(8, (w) => w.string(1, 'com.microsoft').int(2, 1)).bytes;

const writeGraph = (w: MessageWriter, graph: OnnxGraph): void => {
  for (const node of graph.nodes) w.message(1, (inner) => writeNode(inner, node));
  w.string(2, graph.name);
  for (const tensor of graph.initializers) w.message(5, (inner) => writeTensor(inner, tensor));
  for (const value of graph.inputs) w.message(11, (inner) => writeValue(inner, value));
  const { sequence } = graph;
  if (sequence !== undefined) w.message(12, (inner) => writeSequence(inner, sequence));
  for (const value of graph.outputs) w.message(12, (inner) => writeValue(inner, value));
};

const writeSequence = (w: MessageWriter, name: string): void => {
  const element = { dtype: 'float32', shape: [] } as const;
  w.string(1, name).message(2, (type) =>
    type.message(4, (sequence) => sequence.message(1, (of) => writeType(of, element))),
  );
};

const writeNode = (w: MessageWriter, { type, domain, name, inputs, outputs, attrs }: OnnxNode): void => {
  for (const input of inputs) w.string(1, input);
  for (const output of outputs) w.string(2, output);
  w.string(3, name).string(4, type);
  for (const [key, value] of Object.entries(attrs)) w.message(5, (inner) => writeAttr(inner, key, value));
  if (domain) w.string(7, domain);
};

const writeAttr = (w: MessageWriter, name: string, value: OnnxAttr): void => {
  w.string(1, name);
  if (typeof value === 'number') w.int(3, value).int(20, 2);
  else if (typeof value === 'string') w.string(4, value).int(20, 3);
  else if ('float' in value) w.float(2, value.float).int(20, 1);
  else if ('graph' in value) w.message(6, (inner) => writeGraph(inner, value.graph)).int(20, 5);
  else {
    for (const item of value) w.int(8, item);
    w.int(20, 7);
  }
};

const writeValue = (w: MessageWriter, { name, ...of }: OnnxValue): void => {
  w.string(1, name).message(2, (type) => writeType(type, of));
};

const writeType = (
  w: MessageWriter,
  { dtype, shape, axes = [] }: TensorType & { readonly axes?: Axes },
): void => {
  w.message(1, (tensor) =>
    tensor.int(1, elementType[dtype]).message(2, (dimensions) =>
      shape.forEach((length, at) => {
        const name = axes[at];
        dimensions.message(1, (dimension) => (name ? dimension.string(2, name) : dimension.int(1, length)));
      }),
    ),
  );
};

const writeTensor = (w: MessageWriter, { name, dtype, shape, data }: OnnxTensor): void => {
  for (const length of shape) w.int(1, length);
  w.int(2, elementType[dtype]).string(8, name);
  if (!('file' in data)) w.raw(9, rawBytes(dtype, data));
  else {
    const entry = (key: string, value: string): MessageWriter =>
      w.message(13, (inner) => inner.string(1, key).string(2, value));
    entry('location', data.file);
    entry('offset', `${data.offset}`);
    entry('length', `${data.bytes}`).int(14, 1);
  }
};

/** Little-endian bytes of a tensor's elements. */
const rawBytes = (dtype: DType, data: ArrayLike<number>): Uint8Array => {
  // Every platform of the runtime is little-endian, so float32 data is written as it is.
  if (dtype === 'float32' && data instanceof Float32Array)
    return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  const width = bytesOf[dtype];
  const view = new DataView(new ArrayBuffer(data.length * width));
  for (let at = 0; at < data.length; at++) {
    if (dtype === 'float32') view.setFloat32(at * 4, data[at], true);
    else if (dtype === 'int32') view.setInt32(at * 4, data[at], true);
    else if (dtype === 'int64') view.setBigInt64(at * 8, BigInt(data[at]), true);
    else view.setUint8(at, data[at]);
  }
  return new Uint8Array(view.buffer);
};
