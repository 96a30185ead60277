import { writeFileSync } from 'node:fs';
import { generate } from '../../../engine/models/generate/generate.ts';
import type { Model } from '../../../engine/models/model.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Size } from '../sizes.ts';
import { endlessModel, randomPrompts } from './language.ts';
import { serve } from './serve.ts';

let [device, model, size]: [Device?, Model?, Size?] = [];

await serve({
  open: async (args: { size: Size; threads: number; parameters: string }) => {
    size = args.size;
    model = endlessModel(size, 1);
    writeFileSync(args.parameters, model.parameters.flat);
    device = await openDevice({ id: 'cpu', threads: args.threads });
  },
  /** Milliseconds of answers of these lengths, sampled at temperature 1, all in one batch. */
  generate: async ({ lengths, seed }: { lengths: number[]; seed: number }) => {
    if (!device || !model || !size) throw new Error('not open');
    const rows = randomPrompts(size, lengths.length, seed).map((prompt, r) => ({ prompt, promptId: `${r}`, sample: 0, maxTokens: lengths[r] }));
    const start = performance.now();
    const answers = await generate({ device, model, rows, temperature: 1, maxTokens: Math.max(...lengths), seed, purpose: 'benchmark', step: 0 });
    const ms = performance.now() - start;
    answers.forEach(({ tokens, promptLength, logp }, r) => {
      if (tokens.length - promptLength !== lengths[r] || logp.length !== lengths[r]) throw new Error(`answer ${r} has ${tokens.length - promptLength} tokens, not ${lengths[r]}`);
    });
    return ms;
  },
});
