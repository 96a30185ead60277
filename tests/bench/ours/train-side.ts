import type { Size } from '../sizes.ts';
import { peakMb, residentMb, serve } from './serve.ts';
import { openTraining, type Training } from './train.ts';

const loadedMb = residentMb();
let training: Training;

await serve({
  open: async ({
    size,
    threads,
    files,
  }: {
    size: Size;
    threads: number;
    files: { parameters: string; tokens: string };
  }) => {
    training = await openTraining(size, { id: 'cpu', threads }, files);
    return training.opened;
  },
  steps: async ({ count }: { count: number }) => {
    const times: number[] = [];
    let loss = 0;
    for (let at = 0; at < count; at++) {
      const start = performance.now();
      ({ loss } = await training.step());
      times.push(performance.now() - start);
    }
    return { times, loss };
  },
  peakMb: () => peakMb(loadedMb),
});
