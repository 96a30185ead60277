import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Paced } from '../../renderer/lib/paced.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** An action of this many milliseconds, with the times at which it began. */
function timed(ms: number) {
  const began: number[] = [];
  const start = performance.now();
  const action = async () => {
    began.push(performance.now() - start);
    await new Promise((resolve) => setTimeout(resolve, ms));
  };
  return { began, paced: new Paced(action) };
}

describe('a paced action', () => {
  it('runs at once after a quiet period, and once for several requests', async () => {
    const { began, paced } = timed(10);
    for (let i = 0; i < 5; i += 1) paced.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(began).toEqual([0]);
    paced.ask();
    await vi.advanceTimersByTimeAsync(1000);
    expect(began).toEqual([0, 1000]);
  });
  it('runs one at a time, with a pause that grows with its duration, and misses no request', async () => {
    const { began, paced } = timed(100);
    paced.ask();
    await vi.advanceTimersByTimeAsync(50);
    paced.ask();
    paced.ask();
    await vi.advanceTimersByTimeAsync(5000);
    expect(began).toEqual([0, 400]);
  });
  it('pauses a second at most, and not at all for an urgent request', async () => {
    const { began, paced } = timed(2000);
    paced.ask();
    await vi.advanceTimersByTimeAsync(2100);
    paced.ask();
    await vi.advanceTimersByTimeAsync(3000);
    expect(began).toEqual([0, 3000]);
    paced.ask(true);
    await vi.advanceTimersByTimeAsync(1000);
    expect(began).toEqual([0, 3000, 5100]);
  });
  it('does not run after it was stopped', async () => {
    const { began, paced } = timed(100);
    paced.ask();
    await vi.advanceTimersByTimeAsync(10);
    paced.ask();
    paced.stop();
    await vi.advanceTimersByTimeAsync(5000);
    expect(began).toEqual([0]);
  });
});
