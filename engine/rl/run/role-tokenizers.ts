/** Which tokenizers the roles of a run may have. */
import { WhetstoneError } from '../../common/errors.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { TokenizerSpec } from '../../schema/model.ts';
import { alphabetOf } from '../../text/characters.ts';
import { firstOrdinary, type Tokenizer } from '../../text/tokenizer.ts';
import { exchangesOf, type Exchange } from '../kernel/exchanges.ts';
import { mainOf, type Recipe } from '../kernel/recipe.ts';

/** The tokenizers of the roles by name. */
type Tokenizers = (role: string) => Tokenizer;

export const sameTokens = (a: Tokenizer, b: Tokenizer): boolean =>
  a === b ||
  (a.kind === b.kind &&
    a.vocabulary === b.vocabulary &&
    JSON.stringify(a.toJson()) === JSON.stringify(b.toJson()));

/** True if a role passes tokens to another role, or reads its tokens. */
export const exchangesTokens = (recipe: Recipe, name: string): boolean =>
  exchangesOf(recipe).some(({ reader, writer, asText }) => !asText && [reader, writer].includes(name));

/** True if a new tokenizer of this kind would be what another one is. */
export const asksFor = (spec: TokenizerSpec, { kind, vocabulary }: Tokenizer): boolean =>
  spec.kind === kind && (spec.kind !== 'bpe' || spec.vocabulary === vocabulary);

/**
 * Throws `invalid-input` with the role's field if two roles that exchange tokens have different tokenizers; if
 * one cannot spell what it is to read; or if the run's sampling has options that belong to one tokenizer.
 */
export const checkTokenizers = (
  { sampling: { grammar, guidance, steering } }: Pick<RunSpec, 'sampling'>,
  recipe: Recipe,
  tokenizerOf: Tokenizers,
  texts: readonly string[],
): void => {
  const main = mainOf(recipe);
  const differs = (name: string): boolean => !sameTokens(tokenizerOf(name), tokenizerOf(main));
  for (const exchange of exchangesOf(recipe)) {
    const { reader, writer, asText } = exchange;
    if (!asText && !sameTokens(tokenizerOf(reader), tokenizerOf(writer))) refuseTokens(exchange, main);
    const unread = asText ? unspelled(tokenizerOf(reader), tokenizerOf(writer)) : undefined;
    if (unread !== undefined) refuseUnspelled(reader, `the ${writer} may write ${unread}`, main);
  }
  for (const name of Object.keys(recipe.roles).filter(differs)) {
    const { spells } = tokenizerOf(name);
    const unread = spells && [...alphabetOf(texts)].find((character) => !spells(character));
    if (unread !== undefined) refuseUnspelled(name, `the task has the character '${unread}'`, main);
    const option = Object.entries({ grammar, guidance, steering }).find(
      ([, value]) => value && value.kind !== 'none',
    );
    if (option)
      throw new WhetstoneError(
        'invalid-input',
        `The tokenizer of the ${name} differs from the ${main}’s, and the run’s ${option[0]} is for one of them.`,
        { where: `sampling.${option[0]}`, hint: 'Leave it out, or choose models of one family.' },
      );
  }
};

/** A character that `writer` can write and `reader` cannot spell, quoted; 'any character'; or undefined. */
const unspelled = (reader: Tokenizer, writer: Tokenizer): string | undefined => {
  const { spells } = reader;
  if (!spells || sameTokens(reader, writer)) return undefined;
  if (!writer.spells) return 'any character';
  const letters = Array.from({ length: writer.vocabulary - firstOrdinary }, (_, at) =>
    writer.decode([firstOrdinary + at]),
  );
  const unread = letters.find((letter) => !spells(letter));
  return unread === undefined ? undefined : `'${unread}'`;
};

const refuseTokens = ({ reader, writer, part }: Exchange, main: string): never => {
  const [own, other] = reader === main ? [writer, reader] : [reader, writer];
  throw new WhetstoneError(
    'invalid-input',
    `The tokenizer of the ${own} differs from the ${other}’s, and they exchange tokens (${part}).`,
    { where: `models.${own}`, hint: 'Choose models of one family, or train one from the other.' },
  );
};

const refuseUnspelled = (name: string, reason: string, main: string): never => {
  throw new WhetstoneError(
    'invalid-input',
    `The tokenizer of the ${name} cannot spell all that it is to read: ${reason}.`,
    {
      where: `models.${name === main ? 'policy' : name}`,
      hint: 'Choose a model whose tokenizer spells any text, such as one of bytes.',
    },
  );
};
