/** Which tasks a probe (ERT) can ask a model, and why not the others. */
import type { Dataset } from '../../../../preload/contract/datasets.ts';
import { lineOf, type PolicySource } from '../../../lib/line.ts';
import type { Method } from '../../../lib/methods.ts';
import type { FieldFault } from './field-values.ts';
import { specOfCheckpoint, type Stock } from './stock.ts';

type Section = { readonly [key: string]: unknown } | null | undefined;
type World = Stock['catalogue']['worlds'][number];

/** True for a method that asks prompts in several ways. */
const asksInWays = (method: Pick<Method, 'task'> | undefined): boolean => method?.task === 'instructions';

/**
 * The worlds whose characters a policy was made of, for one that reads no others; null for one that reads any
 * text, or whose origin is not known.
 */
export function onlyReads(stock: Stock, policy: unknown): ReadonlySet<string> | null {
  const worlds = new Set<string>();
  for (const spec of lineOf(policy as PolicySource, specOfCheckpoint(stock))) {
    if (spec.task.kind === 'world') worlds.add(spec.task.id);
    if (spec.evaluation.world) worlds.add(spec.evaluation.world.id);
    const { policy: start } = spec.models;
    if (start.kind === 'new') return start.tokenizer.kind === 'characters' ? worlds : null;
  }
  return null;
}

/** A sentence about such a policy. */
const readsAlone = ({ catalogue }: Stock, reads: ReadonlySet<string>): string => {
  const titles = catalogue.worlds.filter(({ id }) => reads.has(id)).map(({ title }) => title);
  return `The model reads only the characters of ${titles.length > 0 ? `“${titles.join('”, “')}”` : 'its training data'}.`;
};

const whyNotWorld = (stock: Stock, reads: ReadonlySet<string> | null, { id, wordings }: World) => {
  if (!reads) return null;
  if (!reads.has(id)) return readsAlone(stock, reads);
  return wordings.length > 0
    ? null
    : 'It has no wordings in its own characters, and the model reads no others: text around a prompt needs letters.';
};

const whyNotDataset = (stock: Stock, reads: ReadonlySet<string> | null, { doctor, curated }: Dataset) => {
  if (reads) return readsAlone(stock, reads);
  return doctor.references > 0 || curated
    ? null
    : 'No row has a reference, with which a verifier compares answers.';
};

/** A task, and whether a probe can ask it. */
interface Asked {
  readonly kind: 'world' | 'dataset';
  readonly id: string;
  readonly title: string;
  /** Why it cannot be asked; null if it can. */
  readonly why: string | null;
}

function askedOf(stock: Stock, policy: unknown): readonly Asked[] {
  const reads = onlyReads(stock, policy);
  return [
    ...stock.catalogue.worlds.map((world) => ({
      kind: 'world' as const,
      id: world.id,
      title: world.title,
      why: whyNotWorld(stock, reads, world),
    })),
    ...stock.datasets.map((dataset) => ({
      kind: 'dataset' as const,
      id: dataset.id,
      title: dataset.name,
      why: whyNotDataset(stock, reads, dataset),
    })),
  ];
}

/** Without the worlds and datasets that a probe cannot ask a policy; all of them for another method. */
export function probed(stock: Stock, method: Pick<Method, 'task'> | undefined, policy: unknown): Stock {
  if (!asksInWays(method)) return stock;
  const asked = askedOf(stock, policy).filter(({ why }) => why === null);
  const has = (kind: Asked['kind'], id: string): boolean =>
    asked.some((each) => each.kind === kind && each.id === id);
  const worlds = stock.catalogue.worlds.filter(({ id }) => has('world', id));
  return {
    ...stock,
    catalogue: { ...stock.catalogue, worlds },
    datasets: stock.datasets.filter(({ id }) => has('dataset', id)),
  };
}

/** Tasks that a probe cannot ask a policy for one reason. */
export interface NotProbed {
  readonly why: string;
  readonly titles: readonly string[];
}

/** The tasks that are not offered, by reason; none for another method than a probe. */
export function notProbed(
  stock: Stock,
  method: Pick<Method, 'task'> | undefined,
  policy: unknown,
): readonly NotProbed[] {
  if (!asksInWays(method)) return [];
  const refused = askedOf(stock, policy).flatMap(({ why, title }) => (why === null ? [] : [{ why, title }]));
  return [...Map.groupBy(refused, ({ why }) => why)].map(([why, all]) => ({
    why,
    titles: all.map(({ title }) => title),
  }));
}

/** The fault of a probe's task that cannot be asked. */
export function probeFaults(
  stock: Stock,
  method: Pick<Method, 'task'> | undefined,
  { task, policy }: { readonly task: Section; readonly policy: unknown },
): readonly FieldFault[] {
  if (!asksInWays(method)) return [];
  const id = task?.kind === 'dataset' ? task.datasetId : task?.id;
  const found = askedOf(stock, policy).find((each) => each.kind === task?.kind && each.id === id);
  return found?.why ? [{ path: ['task'], label: 'Data', message: `Cannot be probed: ${found.why}` }] : [];
}
