import { availableParallelism } from 'node:os';
import { expect, it } from 'vitest';
import { Device } from '../../../engine/runtime/index.ts';
import { threadCount } from '../../../engine/runtime/threads.ts';

const cores = availableParallelism();

it.each([
  ['1', 1],
  [`${cores + 7}`, cores],
  ['', cores],
  ['0', cores],
  ['-2', cores],
  ['1.5', cores],
  ['two', cores],
])('a machine that states %j computes with %d threads', (stated, count) => {
  expect(threadCount(stated)).toBe(count);
});

it('a device has the threads that the variable states', () => {
  expect(new Device({ id: 'cpu' }).threads).toBe(threadCount());
  expect(new Device({ id: 'cpu', threads: 3 }).threads).toBe(3);
});
