/** The options of sampling beyond the temperature: filters, a grammar, and a second model that guides. */
import type { GenerateOptions } from '../../models/generate/generate.ts';
import { TokenGrammar } from '../../models/generate/grammar/token-grammar.ts';
import { truncates } from '../../models/generate/filters.ts';
import type { Model } from '../../models/model.ts';
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

/** The shares of both models' logits. */
export const guidanceBy = (
  { how, weight }: Exclude<GuidanceSpec, { readonly kind: 'none' }>,
  model: Model,
): NonNullable<Decoding['guidance']> =>
  how === 'mix' ? { model, own: weight, theirs: 1 - weight } : { model, own: 1, theirs: weight };
