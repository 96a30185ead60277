import { afterAll, expect, test } from 'vitest';
import { globalNorm } from '../../../engine/optim/index.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { input } from '../../../engine/tensor/index.ts';
import { randomFloats } from '../../support/tensors.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());

test('the norm of a large matrix equals that in float64', async () => {
  const shape = [8192, 512];
  const x = input('x', { dtype: 'float32', shape });
  const values = randomFloats(1, shape, [-1, 1]);
  const program = await device.compile({ name: 'norm', outputs: { norm: globalNorm([x]) } });
  const [norm] = valuesOf(await program.run({ x: values }), 'norm', 'float32');
  const exact = Math.sqrt(values.reduce((total, value) => total + value * value, 0));
  expect(Math.abs(norm / exact - 1)).toBeLessThan(1e-6);
});
