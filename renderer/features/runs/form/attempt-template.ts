import { markedAttempt } from '../../../../engine/common/shown-answers.ts';
import { lineOf, type PolicySource } from '../../../lib/line.ts';
import type { Method } from '../../../lib/methods.ts';
import { specOfCheckpoint, type Stock } from './stock.ts';

type Known = Pick<Stock, 'catalogue' | 'checkpoints' | 'runs'>;

/**
 * How a method that shows attempts separates them for a model whose tokenizer knows only the characters of
 * its world; undefined where the method's own way will do.
 */
export function attemptFor(stock: Known, method: Method | undefined, policy: unknown): string | undefined {
  const { attempt } = (method?.params.properties ?? {}) as Readonly<
    Record<string, { readonly default?: unknown } | undefined>
  >;
  const usual = markedAttempt(() => true);
  if (attempt?.default !== usual) return undefined;
  // its tokenizer was made in the first run of its line
  const first = lineOf(policy as PolicySource, specOfCheckpoint(stock)).at(-1);
  const source = first?.models.policy;
  if (!first || source?.kind !== 'new' || source.tokenizer.kind !== 'characters') return undefined;
  const { task } = first;
  const world = task.kind === 'world' && stock.catalogue.worlds.find(({ id }) => id === task.id);
  if (!world) return undefined;
  const found = markedAttempt((character) => world.alphabet.includes(character));
  return found === usual ? undefined : found;
}
