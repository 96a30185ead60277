import { describe, expect, it } from 'vitest';
import {
  hash32,
  normals,
  permutation,
  philox,
  RandomStream,
  shuffle,
  stream,
  tokenUniforms,
  uniform,
} from '../../../engine/random/random.ts';

const hex = (values: Iterable<number>) => [...values].map((v) => v.toString(16).padStart(8, '0')).join(' ');

describe('Philox4x32-10', () => {
  // Known answers published with Random123.
  it.each([
    ['zeros', [0, 0, 0, 0], [0, 0], '6627e8d5 e169c58d bc57ac4c 9b00dbd8'],
    [
      'ones',
      [0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff],
      [0xffffffff, 0xffffffff],
      '408f276d 41c83b0e a20bc7c6 6d5451fd',
    ],
    [
      'digits of pi',
      [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344],
      [0xa4093822, 0x299f31d0],
      'd16cfe09 94fdcceb 5001e420 24126ea1',
    ],
  ] as const)('gives the published answer for %s', (_, [c0, c1, c2, c3], [k0, k1], answer) => {
    expect(hex(philox(c0, c1, c2, c3, k0, k1))).toBe(answer);
  });
});

describe('keyed draws', () => {
  it('depend on seed, purpose and every counter, and on nothing else', () => {
    const draws = [
      uniform(1, 'a', 1, 2, 3, 4),
      uniform(2, 'a', 1, 2, 3, 4),
      uniform(1, 'b', 1, 2, 3, 4),
      uniform(1, 'a', 0, 2, 3, 4),
      uniform(1, 'a', 1, 2, 3, 5),
    ];
    expect(new Set(draws).size).toBe(draws.length);
    expect(uniform(1, 'a', 1, 2, 3, 4)).toBe(draws[0]);
  });

  it('gives a token the same uniform whichever call draws it', () => {
    const key = { seed: 5, purpose: 'rollout', step: 9, prompt: hash32('p1'), sample: 3 };
    const whole = new Float32Array(48);
    const parts = new Float32Array(48);
    tokenUniforms(key, 0, whole);
    tokenUniforms(key, 16, parts, 16, 32);
    tokenUniforms(key, 0, parts, 0, 16);
    expect(parts).toEqual(whole);
  });

  it('keeps float32 uniforms strictly inside (0, 1) and evenly spread', () => {
    const out = new Float32Array(200_000);
    tokenUniforms({ seed: 0, purpose: 'spread', step: 0, prompt: 0, sample: 0 }, 0, out);
    let low = 1;
    let high = 0;
    const bins = new Array<number>(20).fill(0);
    for (const u of out) {
      low = Math.min(low, u);
      high = Math.max(high, u);
      bins[Math.floor(u * 20)]++;
    }
    expect(low).toBeGreaterThan(0);
    expect(high).toBeLessThan(1);
    const chiSquare = bins.reduce((sum, n) => sum + (n - 10_000) ** 2 / 10_000, 0);
    expect(chiSquare).toBeLessThan(43.8); // 19 degrees of freedom, p = 0.001
    expect(Math.fround((0x7fffff + 0.5) / 0x800000)).toBeLessThan(1);
  });

  it('makes normals with mean 0, variance 1 and a normal tail', () => {
    const out = new Float32Array(100_001);
    normals(out, 3, 'weights', 7);
    const mean = out.reduce((a, b) => a + b, 0) / out.length;
    const variance = out.reduce((a, b) => a + (b - mean) ** 2, 0) / out.length;
    expect(Math.abs(mean)).toBeLessThan(0.012);
    expect(Math.abs(variance - 1)).toBeLessThan(0.02);
    expect(out.filter((x) => Math.abs(x) > 1.96).length / out.length).toBeCloseTo(0.05, 2);
  });

  it('rejects counters that are not 32-bit words', () => {
    expect(() => uniform(1, 'a', -1)).toThrow(/whole number/);
    expect(() => uniform(1.5, 'a')).toThrow(/whole number/);
    expect(() => uniform(1, 'a', 2 ** 32)).toThrow(/whole number/);
    expect(() => uniform(1, 'a', 1, 2, 3, 4, 5)).toThrow(/At most 4/);
    expect(() => stream(1, 'a').int(0)).toThrow(/Cannot draw/);
  });
});

describe('streams', () => {
  it('continue from a saved position', () => {
    const first = stream(1, 'world', 2);
    for (let i = 0; i < 7; i++) first.bits();
    const again = new RandomStream(1, 'world', [2], first.position);
    expect([again.bits(), again.next(), again.int(10)]).toEqual([first.bits(), first.next(), first.int(10)]);
  });

  it('draw whole numbers without bias and in range', () => {
    const counts = [0, 0, 0];
    const source = stream(4, 'dice');
    for (let i = 0; i < 30_000; i++) counts[source.int(3)]++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(350);
    expect(source.between(5, 5)).toBe(5);
  });

  it('shuffle every item once, the same way each time', () => {
    const order = permutation(100, 8, 'epoch', 2);
    expect([...order].sort((a, b) => a - b)).toEqual(Array.from({ length: 100 }, (_, i) => i));
    expect(order).toEqual(permutation(100, 8, 'epoch', 2));
    expect(order).not.toEqual(permutation(100, 8, 'epoch', 3));
    expect(shuffle(['a', 'b', 'c'], 1, 'x').toSorted()).toEqual(['a', 'b', 'c']);
  });
});
