/**
 * Symbolic tensors: build a graph, differentiate it, rewrite it. Does not depend on the runtime.
 * CONTRIBUTING.md says how to add an op.
 */
export { evaluate } from './evaluate.ts';
export type { Expr, HostTensor, OpBuilder, OpDefinition } from './expr.ts';
export { grad } from './grad.ts';
export {
  add,
  div,
  exp,
  greater,
  less,
  log,
  maximum,
  minimum,
  mul,
  neg,
  pow,
  sqrt,
  square,
  sub,
  where,
} from './ops/arithmetic.ts';
export { cachedAttention } from './ops/cached-attention.ts';
export { gather, scatterRows } from './ops/indexing.ts';
export { concat, flatten, pad, slice, split, unflatten } from './ops/joining.ts';
export { and, cast, equal, isFinite, not, or, stopGradient } from './ops/logic.ts';
export { loop, type LoopPass } from './ops/loop.ts';
export { boundary, droppable } from './ops/marks.ts';
export { linear, matmul } from './ops/matmul.ts';
export { broadcastTo, full, reshape, transpose } from './ops/movement.ts';
export {
  abs,
  clip,
  cos,
  erf,
  gelu,
  geluTanh,
  logSigmoid,
  relu,
  sigmoid,
  sign,
  silu,
  sin,
  softplus,
  tanh,
} from './ops/nonlinear.ts';
export { layerNorm, logSoftmax, softmax } from './ops/normalize.ts';
export { addAt, oneHot, pick, tokenDistribution, tokenLogp } from './ops/picking.ts';
export { bitsOf, normalFloats, type QuantizedFormat } from './ops/quantized-formats.ts';
export { dequantize, quantizedMatmul } from './ops/quantized.ts';
export { argmax, cumsum, max, mean, sum, sumSquare } from './ops/reduce.ts';
export { rmsNorm } from './ops/rms-norm.ts';
export { rotary } from './ops/rotary.ts';
export { constant, input, iota, scalar, type Operand } from './ops/source.ts';
export { vocabularyEntropy, vocabularyLogp } from './ops/vocabulary.ts';
export { flipProducts } from './passes/flip.ts';
export { sizeOf, type DType, type Shape, type TensorType } from './types.ts';
