import { systemClusters, systemFacts } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { SystemClass, SystemStatus, type SystemFacts } from '../../engine/schema/systems.ts';
import { columns, text, type Command } from './command.ts';

const states = SystemStatus.options;

const counted = (systems: readonly SystemFacts[]): string =>
  states
    .map((state) => [systems.filter(({ status }) => status === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count} ${state}`)
    .join(', ');

/** Counts by class and state, with sums. */
const sums = (systems: readonly SystemFacts[]): string => {
  const row = (title: string, own: readonly SystemFacts[]): string[] => [
    title,
    ...states.map((state) => String(own.filter(({ status }) => status === state).length)),
    String(own.length),
  ];
  return columns([
    ['class', ...states, 'all'],
    ...SystemClass.options.map((id) =>
      row(
        id,
        systems.filter((each) => each.class === id),
      ),
    ),
    row('all', systems),
  ]);
};

/** The systems of each cluster under its title, then those of none, then the counts. */
const table = (systems: readonly SystemFacts[]): string => {
  const groups = [
    ...systemClusters.map(({ id, title }) => ({ id, title: `${id}. ${title}` })),
    { id: null, title: 'Of no cluster' },
  ];
  const parts = groups.flatMap(({ id, title }) => {
    const own = systems.filter(({ cluster }) => cluster === id);
    if (own.length === 0) return [];
    const rows = own.map((each) => [`  ${each.name}`, each.class, each.status, each.evidence]);
    return [`${title}: ${counted(own)}\n${columns(rows)}`];
  });
  return [...parts, sums(systems)].join('\n\n');
};

const statusOf = (given: string): SystemStatus => {
  const parsed = SystemStatus.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new WhetstoneError('invalid-input', `'${given}' is no state of a system.`, {
    where: '--state',
    hint: `The states are: ${states.join(', ')}.`,
  });
};

/** Lists published systems with their state and its evidence. */
export const systemsCommand: Command = {
  name: 'systems',
  usage: '[--state works|expressible|none|n/a]',
  summary:
    'List 291 published systems of post-training: which work here, by which part and test, which can be ' +
    'expressed by a specification, and what the others lack.',
  example: '--state expressible --json',
  positionals: { least: 0, most: 0 },
  options: { state: { type: 'string' } },
  run({ values }) {
    const state = values.state === undefined ? null : statusOf(text(values, 'state'));
    const shown = systemFacts.filter(({ status }) => state === null || status === state);
    const value = shown.map(({ id, name, paper, class: of, cluster, status, evidence, spec, plan }) => ({
      system: name,
      id,
      paper,
      class: of,
      cluster,
      status,
      evidence,
      ...(spec && { spec }),
      ...(plan !== null && { plan }),
    }));
    return Promise.resolve({ value, text: table(shown) });
  },
};
