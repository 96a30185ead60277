import { setTimeout } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { pause } from '../../../engine/pace/index.ts';
import { percent, RunProgress } from '../../../engine/rl/run/run-progress.ts';
import { recorder } from '../../support/toy-run.ts';

test('before a run is open, the time left excludes its training', async () => {
  const { seen, events } = recorder();
  const progress = new RunProgress(events, () => ({ step: 0 }));
  await progress.during('estimating', percent, async () => {
    await setTimeout(600);
    await pause(0.5);
  });
  const untimed = seen.flatMap((event) =>
    event.type === 'progress' && event.secondsLeft !== null ? [event.untimed] : [],
  );
  expect(untimed).toEqual([['training']]);
});
