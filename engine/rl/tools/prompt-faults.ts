/** Prompts that a model cannot answer, found without reading its weights. */
import { WhetstoneError } from '../../common/errors.ts';
import { openReading } from '../../models/measure.ts';
import type { EngineCalls } from '../../schema/messages.ts';
import { encodePrompts, type EncodingOptions } from '../tasks/encoding.ts';

type Faults = EngineCalls['promptFaults'];

const faultOf = (prompt: string, options: EncodingOptions): string | null => {
  try {
    encodePrompts([{ prompt }], options);
    return null;
  } catch (error) {
    if (error instanceof WhetstoneError && error.kind === 'invalid-input') return error.message;
    throw error;
  }
};

/**
 * The prompts that the model's tokenizer cannot encode, and those that leave no room in its context for an
 * answer of `maxTokens`. Throws the errors of opening the model.
 */
export const promptFaults = async ({
  prompts,
  maxTokens,
  ...place
}: Faults['input']): Promise<Faults['output']> => {
  const { context, tokenizer } = await openReading(place);
  return prompts.flatMap((prompt, at) => {
    const message = faultOf(prompt, { tokenizer, context, maxTokens });
    return message === null ? [] : [{ at, message }];
  });
};
