import {
  tabularAgents,
  tabularSummary,
  tabularWorlds,
  type Averaged,
  type TabularSummary,
} from '../../engine/index.ts';
import { columns, number, text, type Command } from './command.ts';
import { withSettings } from './fork-option.ts';

const shown = (value: number): string => String(Number(value.toPrecision(3)));
const withInterval = (found: Averaged | null): string =>
  found ? `${shown(found.mean)} [${found.interval.map(shown).join(', ')}]` : '—';

/** Agents with their parameters, and worlds, as text and as data. */
const listed = () => {
  const agents = tabularAgents.map(({ id, title, summary, cites, params }) => ({
    ...{ id, title, summary, cites },
    params: Object.entries(params.shape).map(([name, schema]) => ({
      name,
      default: params.parse({})[name],
      description: (schema as { readonly description?: string }).description ?? '',
    })),
  }));
  const worlds = tabularWorlds();
  const lines = agents.flatMap(({ id, title, summary, cites, params }) => [
    `${id}: ${title}. ${summary} (${cites})`,
    ...params.map((param) => `    ${param.name}=${String(param.default)}  ${param.description}`),
  ]);
  const table = columns([
    ['world', 'states', 'optimum'],
    ...worlds.map((world) => [world.id, String(world.states), shown(world.optimum)]),
  ]);
  return { value: { agents, worlds }, text: `${lines.join('\n')}\n\n${table}` };
};

const summaryText = (summary: TabularSummary, steps: number): string => {
  const { seeds, succeeded, optimum } = summary;
  return columns([
    [`${summary.agent} in ${summary.world}`, `${steps} steps, ${seeds} seed${seeds === 1 ? '' : 's'}`],
    ['return', withInterval(summary.return)],
    ['discounted return', `${withInterval(summary.discounted)} of ${shown(optimum)} at best`],
    ['states covered', withInterval(summary.covered)],
    ['steps to the first reward', `${withInterval(summary.firstSuccess)} in ${succeeded} of ${seeds} seeds`],
    ['regret', summary.regret ? withInterval(summary.regret) : '— (not every episode began at the start)'],
    ...Object.entries(summary.facts).map(([name, found]) => [`its own: ${name}`, withInterval(found)]),
  ]);
};

/** Runs an agent with tables in a control world. */
export const controlCommand: Command = {
  name: 'control',
  usage:
    '[--list] [--agent ID --world ID] [--steps N] [--seeds N] [--seed N] [--discount SHARE] [--slip SHARE] ' +
    '[--set NAME=VALUE]…',
  summary:
    'Run a tabular agent (Go-Explore, MEX and others) in a control world with countable states: return, coverage, ' +
    'steps to the first reward and regret against the optimum, with intervals over seeds. --list shows all agents ' +
    'with their parameters, and the worlds.',
  example: '--agent go-explore --world deep-sea --steps 20000 --seeds 5 --json',
  positionals: { least: 0, most: 0 },
  options: {
    list: { type: 'boolean' },
    agent: { type: 'string' },
    world: { type: 'string' },
    steps: { type: 'string' },
    seeds: { type: 'string' },
    seed: { type: 'string' },
    discount: { type: 'string' },
    slip: { type: 'string' },
    set: { type: 'string', multiple: true },
  },
  async run({ values, log }) {
    if (values.list === true) return listed();
    const whole = (name: string, fallback: number, least: number, most: number) =>
      number(values, name, { fallback, least, most, whole: true });
    const steps = whole('steps', 20_000, 10, 10_000_000);
    const seeds = whole('seeds', 5, 1, 1000);
    const spec = {
      steps,
      seed: whole('seed', 0, 0, 1_000_000),
      discount: number(values, 'discount', { fallback: 0.99, least: 0, most: 0.9999 }),
      slip: number(values, 'slip', { fallback: 0, least: 0, most: 1 }),
      agent: text(values, 'agent'),
      world: text(values, 'world'),
      params: withSettings({}, values) as { readonly [name: string]: unknown },
    };
    const value = tabularSummary(spec, seeds, (seed) => log(`seed ${seed} is done`));
    return { value, text: summaryText(value, steps) };
  },
};
