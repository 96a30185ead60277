import { markedAttempt } from '../../../../engine/common/shown-answers.ts';
import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import type { Method } from '../../../lib/methods.ts';
import type { Stock } from './stock.ts';

type Known = Pick<Stock, 'catalogue' | 'checkpoints' | 'runs'>;
type Source = Readonly<Record<string, unknown>> | undefined;

/** The first run of a checkpoint's line, in which its tokenizer was made; undefined if it is not known. */
function firstSpec({ checkpoints, runs }: Known, policy: Source): RunSpec | undefined {
  let [spec, source]: [RunSpec | undefined, Source] = [undefined, policy];
  // a line has no circle, so it is no longer than there are runs
  for (let left = runs.length; left > 0 && source?.kind === 'checkpoint'; left--) {
    const { checkpointId } = source;
    const runId = checkpoints.find(({ id }) => id === checkpointId)?.runId;
    spec = runs.find(({ id }) => id === runId)?.spec ?? undefined;
    source = spec?.models.policy;
  }
  return spec;
}

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
  const first = firstSpec(stock, policy as Source);
  const source = first?.models.policy;
  if (source?.kind !== 'new' || source.tokenizer.kind !== 'characters') return undefined;
  const { task } = first as RunSpec;
  const world = task.kind === 'world' && stock.catalogue.worlds.find(({ id }) => id === task.id);
  if (!world) return undefined;
  const found = markedAttempt((character) => world.alphabet.includes(character));
  return found === usual ? undefined : found;
}
