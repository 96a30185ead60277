import { generate } from '../../../engine/models/generate/generate.ts';
import type { Model } from '../../../engine/models/model.ts';
import type { Device } from '../../../engine/runtime/index.ts';
import type { Size } from '../sizes.ts';
import { longestAnswer } from '../answers.ts';
import { randomPrompts } from './language.ts';

/**
 * Samples answers of these lengths at temperature 1, all in one batch, and throws if one has another length.
 * The maximum length is requested, as by a caller who does not know the lengths.
 */
export const writeAnswers = async ({
  device,
  model,
  size,
  lengths,
  seed,
}: {
  device: Device;
  model: Model;
  size: Size;
  lengths: readonly number[];
  seed: number;
}): Promise<void> => {
  const rows = randomPrompts(size, lengths.length, seed).map((prompt, r) => ({
    prompt,
    promptId: `${r}`,
    sample: 0,
    maxTokens: lengths[r],
  }));
  const answers = await generate({
    device,
    model,
    rows,
    temperature: 1,
    maxTokens: longestAnswer(size),
    seed,
    purpose: 'benchmark',
    step: 0,
  });
  answers.forEach(({ tokens, promptLength, logp }, r) => {
    if (tokens.length - promptLength !== lengths[r] || logp.length !== lengths[r])
      throw new Error(`answer ${r} has ${tokens.length - promptLength} tokens, not ${lengths[r]}`);
  });
};
