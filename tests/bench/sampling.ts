/** Sampled tokens per second with each truncation, guide and grammar, and without any, in turns. */
import { generate, type GenerateOptions } from '../../engine/models/generate/generate.ts';
import { TokenGrammar } from '../../engine/models/generate/grammar/token-grammar.ts';
import { openDevice, type Device } from '../../engine/runtime/index.ts';
import { answerLengths, longestAnswer } from './answers.ts';
import { median, processor, rounded, say } from './figures.ts';
import { endlessModel, randomPrompts, tokenizerOf } from './ours/language.ts';
import { sizes, type Config, type Size } from './sizes.ts';

export interface SamplingOptions {
  readonly config: Config;
  readonly batches: readonly number[];
  readonly threads: number;
  readonly pairs: number;
}
/** `share`: tokens per second as a share of those without any option, of the same turns. */
export interface SamplingFigures {
  readonly batch: number;
  readonly option: string;
  readonly tokensPerSecond: number;
  readonly share: number;
}

type Options = Pick<GenerateOptions, 'filters' | 'guidance' | 'hooks'>;

/** The measured options. The grammar admits every text, so that answers have the same lengths. */
const optionsFor = (size: Size): Readonly<Record<string, Options>> => {
  const grammar = { kind: 'pattern', pattern: '[^]*' } as const;
  const limits = { maxTokens: longestAnswer(size), where: 'grammar' };
  return {
    none: {},
    topK: { filters: { topK: 20 } },
    topP: { filters: { topP: 0.9 } },
    minP: { filters: { minP: 0.05 } },
    all: { filters: { topK: 20, topP: 0.9, minP: 0.05 } },
    grammar: { hooks: [new TokenGrammar(grammar, tokenizerOf(size), limits)] },
    guide: { guidance: { model: endlessModel(size, 2), own: 1.5, theirs: -0.5 } },
  };
};

interface Batch {
  readonly device: Device;
  readonly model: GenerateOptions['model'];
  readonly size: Size;
  readonly lengths: readonly number[];
  readonly seed: number;
}

/** Milliseconds to sample answers of at most these lengths, and the number of their tokens. */
const timed = async ({ device, model, size, lengths, seed }: Batch, options: Options) => {
  const rows = randomPrompts(size, lengths.length, seed).map((prompt, r) => ({
    prompt,
    promptId: `${r}`,
    sample: 0,
    maxTokens: lengths[r],
  }));
  const start = performance.now();
  const answers = await generate({
    device,
    model,
    rows,
    temperature: 1,
    maxTokens: longestAnswer(size),
    seed,
    purpose: 'benchmark',
    step: 0,
    ...options,
  });
  const ms = performance.now() - start;
  return { ms, tokens: answers.reduce((sum, { logp }) => sum + logp.length, 0) };
};

/** Measures every option in turn for each batch size. */
export const measureSampling = async ({
  config,
  batches,
  threads,
  pairs,
}: SamplingOptions): Promise<SamplingFigures[]> => {
  const size = sizes[config];
  const device = await openDevice({ id: 'cpu', threads });
  const model = endlessModel(size, 1);
  const options = Object.entries(optionsFor(size));
  const figures: SamplingFigures[] = [];
  say(`${processor()}, ${threads} threads; ${config}`);
  try {
    for (const batch of batches) {
      const rates = options.map((): number[] => []);
      // the first turn compiles and does not count
      for (let turn = 0; turn <= pairs; turn++)
        for (const [at, [, chosen]] of options.entries()) {
          const lengths = answerLengths(size, batch, turn);
          const { ms, tokens } = await timed({ device, model, size, lengths, seed: turn }, chosen);
          if (turn > 0) rates[at].push((1000 * tokens) / ms);
        }
      const [none] = rates.map(median);
      options.forEach(([option], at) => {
        const tokensPerSecond = median(rates[at]);
        const share = rounded(tokensPerSecond / none, 3);
        figures.push({ batch, option, tokensPerSecond: rounded(tokensPerSecond), share });
        say(`  ${batch} rows, ${option}: ${rounded(tokensPerSecond)} tokens/s, ${share} of none`);
      });
    }
    return figures;
  } finally {
    await device.close();
  }
};
