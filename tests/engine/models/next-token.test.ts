import { afterAll, expect, test } from 'vitest';
import { entropyOfLogits, logpOfLogits } from '../../../engine/models/heads/next-token.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import {
  grad,
  input,
  matmul,
  mul,
  sum,
  vocabularyEntropy,
  vocabularyLogp,
  type Expr,
} from '../../../engine/tensor/index.ts';
import { randomFloats, uniforms, worstError } from '../../support/tensors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

// Above eight million logits, so the vocabulary is processed in several blocks, the last of them smaller.
const [N, D, V] = [512, 8, 40_001];
const hidden = input('hidden', { dtype: 'float32', shape: [N, D] });
const table = input('table', { dtype: 'float32', shape: [V, D] });
const ids = input('ids', { dtype: 'int32', shape: [N] });
const feeds = {
  hidden: randomFloats(1, [N, D], [-2, 2]),
  table: randomFloats(2, [V, D], [-2, 2]),
  ids: Int32Array.from(uniforms(3, N), (u) => Math.floor(u * V)),
  weight: randomFloats(4, [N]),
};
const weight = input('weight', { dtype: 'float32', shape: [N] });

const numbers = async (value: Expr): Promise<Float32Array[]> => {
  const [ofHidden, ofTable] = grad(sum(mul(weight, value)), [hidden, table]);
  const program = await device.compile({ name: 'next token', outputs: { value, ofHidden, ofTable } });
  const outputs = await program.run(
    Object.fromEntries(Object.entries(feeds).filter(([name]) => name in program.inputs)),
  );
  return ['value', 'ofHidden', 'ofTable'].map((name) => valuesOf(outputs, name, 'float32'));
};

const logits = () => matmul(hidden, table, { transposeB: true });
test.each<[string, () => Expr, () => Expr]>([
  ['log-probabilities', () => vocabularyLogp(hidden, table, ids), () => logpOfLogits(logits(), ids, 1)],
  ['entropies', () => vocabularyEntropy(hidden, table, ids).entropy, () => entropyOfLogits(logits(), ids, 1)],
])(
  '%s of a large vocabulary and their gradients agree between blocks and full logits',
  async (_, inBlocks, whole) => {
    const [found, expected] = [await numbers(inBlocks()), await numbers(whole())];
    found.forEach((values, at) =>
      expect(worstError(Float64Array.from(values), Float64Array.from(expected[at]))).toBeLessThan(6e-5),
    );
  },
);
