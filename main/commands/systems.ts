import { systemClusters, systemFacts } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import {
  SystemClass,
  SystemStatus,
  type MeasuredExperiment,
  type SystemFacts,
} from '../../engine/schema/systems.ts';
import { claimsInWords, verdicts } from '../../preload/wire/measured.ts';
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

const titleOf = ({ setting }: MeasuredExperiment): string =>
  setting === null ? 'Measured' : `Measured ${setting}`;

const foundOf = ({ id, measured }: SystemFacts): string =>
  measured.map((each) => ` ${titleOf(each)}: ${claimsInWords(each)} (systems ${id}).`).join('');

const experiment = (measured: MeasuredExperiment): string => {
  const { seeds, budget, command, claims } = measured;
  const rows = claims.map(({ claim, baseline, figures, holds }) => [
    claim,
    baseline,
    figures,
    verdicts[holds].title,
  ]);
  return [
    '',
    `${titleOf(measured)}: ${claimsInWords(measured)}. ${seeds} seeds, ${budget}; differences with 95 % intervals.`,
    columns([['claim', 'against', 'difference', 'verdict'], ...rows]),
    '',
    `Repeat it: ${command}`,
  ].join('\n');
};

/** One system with all its claims. */
const report = ({ name, paper, about, status, evidence, measured }: SystemFacts): string =>
  [`${name}: ${status}`, `“${paper}”`, about, evidence, ...measured.map(experiment)].join('\n');

/** The systems of each cluster under its title, then those of none, then the counts. */
const table = (systems: readonly SystemFacts[]): string => {
  const groups = [
    ...systemClusters.map(({ id, title }) => ({ id, title: `${id}. ${title}` })),
    { id: null, title: 'Of no cluster' },
  ];
  const parts = groups.flatMap(({ id, title }) => {
    const own = systems.filter(({ cluster }) => cluster === id);
    if (own.length === 0) return [];
    const rows = own.map((each) => [
      `  ${each.name}`,
      each.class,
      each.status,
      `${each.evidence}${foundOf(each)}`,
    ]);
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

const systemOf = (id: string): SystemFacts => {
  const found = systemFacts.find((each) => each.id === id);
  if (found) return found;
  throw new WhetstoneError('not-found', `There is no system '${id}'.`, {
    hint: 'systems --json lists them with their ids.',
  });
};

const valueOf = ({
  id,
  name,
  paper,
  class: of,
  cluster,
  status,
  evidence,
  spec,
  plan,
  measured,
}: SystemFacts) => ({
  system: name,
  id,
  paper,
  class: of,
  cluster,
  status,
  evidence,
  ...(spec && { spec }),
  ...(plan !== null && { plan }),
  ...(measured.length > 0 && { measured }),
});

/** Lists published systems with their state and its evidence. */
export const systemsCommand: Command = {
  name: 'systems',
  usage: '[ID] [--state works|expressible|none|n/a]',
  summary:
    'List 291 published systems of post-training: which work here, by which part and test, which can be ' +
    'expressed by a specification, and what the others lack. With an id: one of them, with each claim that was ' +
    'measured of it.',
  example: 'crt',
  positionals: { least: 0, most: 1 },
  options: { state: { type: 'string' } },
  run({ positionals: [id], values }) {
    if (id !== undefined) {
      if (values.state !== undefined)
        throw new WhetstoneError('invalid-input', 'One system has one state: --state is for the list.', {
          where: '--state',
          hint: 'Leave out the id or --state.',
        });
      const system = systemOf(id);
      return Promise.resolve({ value: valueOf(system), text: report(system) });
    }
    const state = values.state === undefined ? null : statusOf(text(values, 'state'));
    const shown = systemFacts.filter(({ status }) => state === null || status === state);
    return Promise.resolve({ value: shown.map(valueOf), text: table(shown) });
  },
};
