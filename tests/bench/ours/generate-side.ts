import { writeFileSync } from 'node:fs';
import type { Model } from '../../../engine/models/model.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Size } from '../sizes.ts';
import { openBare, type BareWriting } from './bare.ts';
import { endlessModel } from './language.ts';
import { serve } from './serve.ts';
import { writeAnswers } from './write.ts';

let [device, model, size]: [Device?, Model?, Size?] = [];
const bare = new Map<boolean, BareWriting>();

await serve({
  open: async (args: { size: Size; threads: number; parameters: string }) => {
    size = args.size;
    model = endlessModel(size, 1);
    writeFileSync(args.parameters, model.parameters.flat);
    device = await openDevice({ id: 'cpu', threads: args.threads });
  },
  /** Milliseconds to sample answers of these lengths at temperature 1, all in one batch. */
  generate: async ({ lengths, seed }: { lengths: number[]; seed: number }) => {
    if (!device || !model || !size) throw new Error('not open');
    const start = performance.now();
    await writeAnswers({ device, model, size, lengths, seed });
    return performance.now() - start;
  },
  /** Milliseconds of the products of as many tokens alone, with attention or without. */
  bare: async ({ lengths, attention }: { lengths: number[]; attention: boolean }) => {
    if (!device || !size) throw new Error('not open');
    const writing = bare.get(attention) ?? (await openBare(device, size, attention));
    bare.set(attention, writing);
    const start = performance.now();
    await writing(lengths);
    return performance.now() - start;
  },
});
