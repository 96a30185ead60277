import { pause } from '../../pace/index.ts';
import { WhetstoneError } from '../../common/errors.ts';
import { transformerOf } from '../families/index.ts';
import { ChunkGenerator } from './chunks.ts';
import { checkOptions, type Answer, type GenerateOptions } from './rows.ts';
import { SpeculativeGenerator } from './speculative.ts';
import { StepGenerator } from './steps.ts';

export type { Answer, AnswerRequest, GenerateOptions } from './rows.ts';
export type { Filters } from './filters.ts';
export type { Guidance, LogitsHook } from './hooks.ts';

/**
 * Samples answers with a KV cache. A token is drawn by inversion from a uniform keyed by (seed, purpose,
 * step, prompt, sample, token), so an answer does not depend on the other rows or their order. Finished rows
 * leave and waiting ones replace them: after each token if the cache can grow in place, else between chunks
 * of tokens generated inside one graph. Answers come in the order of `rows`.
 */
export const generate = async (options: GenerateOptions): Promise<Answer[]> => {
  checkOptions(options);
  const { device, model, guidance, draft } = options;
  const inSteps = [model, ...(guidance ? [guidance.model] : [])].every(
    ({ config }) => device.growsInPlace && transformerOf(config).size % 8 === 0,
  );
  if (guidance && !inSteps)
    throw new WhetstoneError(
      'unsupported',
      'A second model guides only on the CPU, and if the head sizes of both models are multiples of 8.',
      { where: 'sampling.guidance', hint: 'Run on the CPU, or leave the guidance out.' },
    );
  const flight = draft
    ? new SpeculativeGenerator(options, draft)
    : inSteps
      ? new StepGenerator(options)
      : new ChunkGenerator(options);
  while (!flight.done) {
    if (options.signal?.aborted)
      throw new WhetstoneError('cancelled', 'Sampling was stopped.', { where: options.purpose });
    await flight.admit();
    await flight.advance();
    await pause(flight.share);
  }
  return flight.answers;
};
