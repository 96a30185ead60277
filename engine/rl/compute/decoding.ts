/** The options of sampling beyond the temperature: filters, a grammar, and a second model that guides. */
import { WhetstoneError } from '../../common/errors.ts';
import { openModelFolder } from '../../models/checkpoint.ts';
import type { GenerateOptions } from '../../models/generate/generate.ts';
import { TokenGrammar } from '../../models/generate/grammar/token-grammar.ts';
import { truncates } from '../../models/generate/filters.ts';
import type { Model } from '../../models/model.ts';
import type { BaseRef } from '../../schema/messages.ts';
import type { DecodingSpec, GuidanceSpec } from '../../schema/sampling.ts';
import type { Tokenizer } from '../../text/tokenizer.ts';

export type Decoding = Pick<GenerateOptions, 'filters' | 'hooks' | 'guidance'>;

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

/** The run's guide and grammar, with the filters of a role. */
export const withFilters = (
  { hooks, guidance }: Decoding = {},
  { topK, topP, minP }: Pick<DecodingSpec, 'topK' | 'topP' | 'minP'>,
): Decoding => {
  const filters = { topK, topP, minP };
  return {
    ...(hooks && { hooks }),
    ...(guidance && { guidance }),
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
): Promise<Model> => {
  const guide = await openModelFolder(folder, undefined, 'float32', base);
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
  how === 'mix' ? { model, own: weight, theirs: 1 - weight } : { model, own: 1, theirs: weight };
