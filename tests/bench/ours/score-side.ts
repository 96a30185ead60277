import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stream } from '../../../engine/random/random.ts';
import { writeCheckpoint } from '../../../engine/models/checkpoint.ts';
import { withHead } from '../../../engine/models/model.ts';
import { openTextScorer, scoredTokens } from '../../../engine/rl/evaluation/model-scorers.ts';
import type { AnswerRow } from '../../../engine/rewards/index.ts';
import { openDevice, type Device } from '../../../engine/runtime/index.ts';
import type { Size } from '../sizes.ts';
import { endlessModel, tokenizerOf, worldOf } from './language.ts';
import { serve } from './serve.ts';

/** Answers of uniform length, from none to the rest of the context. */
const mixedRows = (size: Size, sequences: number): AnswerRow[] => {
  const world = worldOf(size);
  const characters = [...world.alphabet];
  const longest = size.context - world.maxPromptTokens - 1;
  return Array.from({ length: sequences }, (_, at) => {
    const { prompt, promptId } = world.problem('train', at, 1);
    const draw = stream(1, 'answers', at);
    const tokens = draw.int(longest + 1);
    return {
      prompt,
      promptId,
      completion: Array.from({ length: tokens }, () => characters[draw.int(characters.length)]).join(''),
      tokens: tokens + 1,
      stopReason: 'end',
    };
  });
};

/** Counts the tokens of every micro-batch that a device's programs compute. */
const counting = (device: Device): { tokens: number } => {
  const counted = { tokens: 0 };
  const compile = device.compile.bind(device);
  device.compile = async (plan) => {
    const program = await compile(plan);
    const run = program.run.bind(program);
    program.run = (feeds) => {
      counted.tokens += feeds.tokens?.length ?? 0;
      return run(feeds);
    };
    return program;
  };
  return counted;
};

await serve({
  /**
   * Scores sequences of mixed length with a reward model's checkpoint, as rewards and evaluations do;
   * everything is compiled by the second time.
   */
  score: async ({ size, threads, sequences }: { size: Size; threads: number; sequences: number }) => {
    const folder = await mkdtemp(join(tmpdir(), 'whetstone-bench-'));
    try {
      const tokenizer = tokenizerOf(size);
      const checkpoint = join(folder, 'reward');
      await writeCheckpoint(checkpoint, { model: withHead(endlessModel(size, 1), 'reward', 2), tokenizer });
      const device = await openDevice({ id: 'cpu', threads });
      const counted = counting(device);
      const scorer = await openTextScorer(device, checkpoint);
      const rows = mixedRows(size, sequences);
      const seconds: number[] = [];
      for (let pass = 0; pass < 2; pass++) {
        counted.tokens = 0;
        const start = performance.now();
        const scores = await scorer.score(rows);
        seconds.push((performance.now() - start) / 1000);
        if (scores.length !== sequences || !scores.every(Number.isFinite))
          throw new Error('a sequence has no score');
      }
      await device.close();
      return {
        tokens: scoredTokens(rows, tokenizer, size.context).values.length,
        computed: counted.tokens,
        firstSeconds: seconds[0],
        seconds: seconds[1],
      };
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});
