/** Runs the toy run of every method with several seeds, and with shuffled targets, and checks its bound. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { methods } from '../../engine/rl/methods/index.ts';
import { sanityFacts, sanityHash, type SanityRecord } from '../../engine/rl/tools/sanity-record.ts';
import { openDevice } from '../../engine/runtime/index.ts';
import { found, reachesBound, runToy, sanitySpec, shuffled } from '../support/toy-run.ts';
import { rounded, say } from './figures.ts';

const path = fileURLToPath(new URL('../../engine/rl/tools/sanity-record.json', import.meta.url));

/**
 * Three seeds of each method, or of the named ones; `write` records the results next to the methods for the
 * catalogue.
 */
export const measureSanity = async ({
  threads,
  only,
  write,
}: {
  readonly threads: number;
  readonly only?: string;
  readonly write: boolean;
}) => {
  const device = await openDevice({ id: 'cpu', threads });
  const kept = JSON.parse(readFileSync(path, 'utf8')) as { [id: string]: SanityRecord };
  for (const method of methods) {
    const { id, sanity } = method;
    if (!sanity || (only !== undefined && !only.split(',').includes(id))) continue;
    const values: number[] = [];
    const began = performance.now();
    for (const seed of [1, 2, 3])
      values.push(rounded(found(await runToy(device, sanitySpec(method, seed)), sanity.metric)));
    const seconds = rounded((performance.now() - began) / 3000, 2);
    const control = rounded(
      found(await runToy(device, sanitySpec(method, 1), { prepare: shuffled }), sanity.metric),
    );
    const ok = values.every((value) => reachesBound(method, value));
    kept[id] = { of: sanityHash(sanity), values, seconds, ok };
    say(
      `${ok ? 'reached' : 'MISSED '} ${id}: ${sanity.metric} ${values.join(' ')} ` +
        `(${sanity.atLeast === undefined ? `at most ${sanity.atMost}` : `at least ${sanity.atLeast}`}), ` +
        `${seconds} s a seed; with shuffled targets ${control}` +
        (reachesBound(method, control) ? ', which REACHES it too' : ''),
    );
  }
  const known = Object.fromEntries(methods.flatMap(({ id }) => (id in kept ? [[id, kept[id]]] : [])));
  if (write)
    writeFileSync(
      path,
      `{\n${Object.entries(known)
        .map(([id, record]) => `  ${JSON.stringify(id)}: ${JSON.stringify(record)}`)
        .join(',\n')}\n}\n`,
    );
  return methods.flatMap((method) =>
    method.sanity ? [{ id: method.id, ...sanityFacts(method, known) }] : [],
  );
};
