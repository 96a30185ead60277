import { methods, openedWorlds, recipes, sanityResults, worlds } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { plainServices } from '../headless/open.ts';
import { freshSanity, type FreshSanity } from '../use-cases/toy-runs.ts';
import { columns, numbers, onInterrupt, text, type Answer, type Command } from './command.ts';

const nothing = { positionals: { least: 0, most: 0 }, options: {} } as const;

const listed = (): Answer => ({
  value: Object.entries(recipes()).flatMap(([id, { recipe }]) =>
    methods
      .filter((m) => m.id === id)
      .map((m) => ({ ...m, kind: m.task, recipe, sanity: sanityResults[m.id] })),
  ),
  text: columns(methods.map((m) => [m.id, m.task, m.summary])),
});

const digits = (value: number): string => String(Number(value.toPrecision(4)));

/** Runs toy runs on this machine and prints a line for each; exits with 1 if one misses its bound. */
const sanity = async (
  ids: readonly string[],
  seeds: readonly number[],
  log: (text: string) => void,
): Promise<Answer> => {
  const services = plainServices();
  const stop = new AbortController();
  const release = onInterrupt(() => stop.abort());
  try {
    const value = await freshSanity(services, ids, seeds, {
      signal: stop.signal,
      onResult: (id, seed, got, reached) =>
        log(`${id}, seed ${seed}: ${digits(got)}${reached ? '' : ', MISSED'}`),
    });
    const bound = ({ atLeast, atMost }: FreshSanity): string =>
      atLeast === null ? `at most ${atMost}` : `at least ${atLeast}`;
    const rows = value.map((each) => [
      each.id,
      each.metric,
      bound(each),
      each.seeds.map((run) => digits(run.value)).join(' '),
      each.ok ? 'reached' : 'MISSED',
    ]);
    return { value, text: columns(rows), exit: value.every(({ ok }) => ok) ? 0 : 1 };
  } finally {
    release();
    await services.close();
  }
};

const seedBounds = { least: 0, most: 0xffff_ffff } as const;

export const methodsCommand: Command = {
  name: 'methods',
  usage: '[--sanity ID[,ID…] [--seeds 1,2,3]]',
  summary:
    'List the methods: what each learns from, its stations, parameters and presets, and its toy run with ' +
    'the result; or run toy runs now, and exit with 1 if one misses its bound.',
  example: '--sanity grpo,dpo --seeds 1',
  positionals: { least: 0, most: 0 },
  options: { sanity: { type: 'string' }, seeds: { type: 'string' } },
  async run({ values, log }) {
    if (values.sanity !== undefined)
      return await sanity(
        text(values, 'sanity').split(','),
        numbers(values, 'seeds', seedBounds, '1,2,3'),
        log,
      );
    if (values.seeds !== undefined)
      throw new WhetstoneError('invalid-input', '--seeds needs --sanity, which names the methods to run.', {
        where: '--seeds',
        hint: 'Add --sanity ID.',
      });
    return listed();
  },
};

export const worldsCommand: Command = {
  name: 'worlds',
  usage: '',
  summary:
    'List the built-in verifiable worlds: levels, held-out levels, turns, lengths, ceiling, parameters.',
  example: '--json',
  ...nothing,
  run: () =>
    Promise.resolve({
      value: openedWorlds().map((opened) => ({ ...worlds.find(({ id }) => id === opened.id), ...opened })),
      text: columns(worlds.map((w) => [w.id, w.summary])),
    }),
};
