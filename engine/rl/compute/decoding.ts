/** The options of sampling beyond the temperature: filters, grammars, steering, a second model that guides. */
import { WhetstoneError } from '../../common/errors.ts';
import { openModelFolder, type OpenFolder } from '../../models/checkpoint.ts';
import type { GenerateOptions } from '../../models/generate/generate.ts';
import type { ModelDevice } from '../../models/device.ts';
import { TokenGrammar } from '../../models/generate/grammar/token-grammar.ts';
import { truncates } from '../../models/generate/filters.ts';
import type { Model } from '../../models/model.ts';
import type { BaseRef } from '../../schema/messages.ts';
import type { DecodingSpec, GuidanceSpec } from '../../schema/sampling.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';
import { steeringByTexts } from './steering.ts';

export type Decoding = Pick<GenerateOptions, 'filters' | 'hooks' | 'guidance' | 'steering'>;

export interface Decoder {
  readonly tokenizer: Tokenizer;
  readonly maxTokens: number;
  /** Path of the options, for errors. */
  readonly where: string;
}

/**
 * Filters and grammar for a tokenizer; empty if none is asked for. Throws `invalid-input` with the path of a
 * grammar that admits nothing.
 */
export const decodingOf = (
  { grammar, topK, topP, minP }: DecodingSpec,
  { tokenizer, maxTokens, where }: Decoder,
): Decoding => {
  const filters = { topK, topP, minP };
  return {
    ...(truncates(filters) && { filters }),
    ...(grammar &&
      grammar.kind !== 'none' && {
        hooks: [new TokenGrammar(grammar, tokenizer, { maxTokens, where: `${where}grammar` })],
      }),
  };
};

/** The same with the steering of given texts, whose direction the model itself is asked for. */
export const steeredDecodingOf = async (
  decoding: DecodingSpec,
  { device, model, ...decoder }: Decoder & { readonly device: ModelDevice; readonly model: Model },
): Promise<Decoding> => {
  const plain = decodingOf(decoding, decoder);
  const { steering } = decoding;
  if (!steering || steering.kind === 'none') return plain;
  return { ...plain, steering: await steeringByTexts(steering, { device, model, ...decoder }) };
};

/** The run's guide, steering and grammar, with the filters of a role. */
export const withFilters = (
  { hooks, guidance, steering }: Decoding = {},
  { topK, topP, minP }: Pick<DecodingSpec, 'topK' | 'topP' | 'minP'>,
): Decoding => {
  const filters = { topK, topP, minP };
  return {
    ...(hooks && { hooks }),
    ...(guidance && { guidance }),
    ...(steering && { steering }),
    ...(truncates(filters) && { filters }),
  };
};

/**
 * The model that guides a sampled one. Throws `invalid-input` for another tokenizer, and the errors of opening
 * the folder.
 */
export const openGuide = async (
  { folder, base }: { readonly folder: string; readonly base?: BaseRef },
  tokenizer: Tokenizer,
  where: string,
  open: OpenFolder = openModelFolder,
): Promise<Model> => {
  const guide = await open(folder, undefined, 'float32', base);
  if (JSON.stringify(guide.tokenizer.toJson()) !== JSON.stringify(tokenizer.toJson()))
    throw new WhetstoneError('invalid-input', 'The model that guides has another tokenizer.', {
      where,
      hint: 'Guide by a model that was trained from the same start.',
    });
  return guide.model;
};

/** The shares of both models' logits. */
export const guidanceBy = (
  { how, weight }: Pick<Exclude<GuidanceSpec, { readonly kind: 'none' }>, 'how' | 'weight'>,
  model: Model,
): NonNullable<Decoding['guidance']> =>
  how === 'mix'
    ? { model, own: weight, theirs: 1 - weight }
    : how === 'add'
      ? { model, own: 1, theirs: weight }
      : { model, own: 1, theirs: 0, cap: weight };
