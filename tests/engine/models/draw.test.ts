import { afterAll, describe, expect, it } from 'vitest';
import { stream } from '../../../engine/random/random.ts';
import { draw } from '../../../engine/models/generate/graphs.ts';
import { openDevice, valuesOf } from '../../../engine/runtime/index.ts';
import { input } from '../../../engine/tensor/index.ts';

const device = await openDevice({ id: 'cpu', threads: 1 });
afterAll(() => device.close());
const rows = 61;

/**
 * Samples tokens and their log-probabilities from logits [rows, V] with these uniforms, for the first `B`
 * rows.
 */
const sampled = async (
  V: number,
  logits: Float32Array,
  uniforms: Float32Array,
): Promise<{ token: Int32Array; logp: Float32Array }> => {
  const made = draw(
    input('logits', { dtype: 'float32', shape: [rows, V] }),
    input('uniforms', { dtype: 'float32', shape: [rows] }),
  );
  const program = await device.compile({
    name: `draw of ${V}`,
    outputs: { token: made.token, logp: made.logp },
    axes: { logits: ['B', null], uniforms: ['B'], token: ['B'], logp: ['B'] },
  });
  const outputs = await program.run({ logits, uniforms }, { B: uniforms.length });
  return { token: valuesOf(outputs, 'token', 'int32'), logp: valuesOf(outputs, 'logp', 'float32') };
};

/** In float64: the log-probabilities of one row, and the cumulative probability below each token. */
const exact = (logits: Float32Array): { logp: Float64Array; below: Float64Array } => {
  const top = logits.reduce((a, b) => Math.max(a, b));
  const whole = Math.log(logits.reduce((total, x) => total + Math.exp(x - top), 0)) + top;
  const logp = Float64Array.from(logits, (x) => x - whole);
  const below = new Float64Array(logits.length + 1);
  logp.forEach((x, token) => {
    below[token + 1] = below[token] + Math.exp(x);
  });
  return { logp, below };
};

// below and above the threshold for sampling in blocks; a whole number of blocks, one more, and a real vocabulary
describe.each([500, 4095, 4096, 4097, 50_257])('a vocabulary of %i tokens', (V) => {
  const random = stream(3, 'logits', V);
  it.each([
    ['of similar probabilities', 1],
    ['with few likely tokens', 40],
  ])('samples tokens %s by inversion', async (_, spread) => {
    const B = 16;
    const logits = Float32Array.from({ length: B * V }, () => (random.next() - 0.5) * spread);
    const uniforms = Float32Array.from({ length: B }, (_x, r) =>
      r === 0 ? 1 : r === 1 ? 2 ** -24 : random.next(),
    );
    const { token, logp } = await sampled(V, logits, uniforms);
    for (let r = 0; r < B; r++) {
      const { logp: right, below } = exact(logits.subarray(r * V, (r + 1) * V));
      expect(below[token[r]]).toBeLessThan(uniforms[r] + 2e-6);
      expect(below[token[r] + 1]).toBeGreaterThan(uniforms[r] - 2e-6);
      expect(Math.abs(logp[r] - right[token[r]])).toBeLessThan(1e-4);
    }
  });

  it('always samples a certain token at any position, and never an impossible one', async () => {
    const places = [0, 1, 255, 256, 257, Math.floor(V / 2), V - 2, V - 1].filter((at) => at < V);
    const uniforms = [2 ** -24, 0.5, 1];
    const logits = new Float32Array(places.length * uniforms.length * V).fill(-1e9);
    places.forEach((at, p) =>
      uniforms.forEach((_u, u) => {
        logits[(p * uniforms.length + u) * V + at] = 3;
      }),
    );
    const { token } = await sampled(V, logits, Float32Array.from(places.flatMap(() => uniforms)));
    expect([...token]).toEqual(places.flatMap((at) => uniforms.map(() => at)));
  });
});
