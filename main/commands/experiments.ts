import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Experiment, ExperimentPlan } from '../../preload/contract/experiments.ts';
import { number } from '../../preload/wire/numbers.ts';
import { isLive } from '../../preload/wire/run-states.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { columns, onInterrupt, text, workspaceOption, type Answer, type Command } from './command.ts';
import { throttled } from './progress.ts';
import { readSpec } from './read-spec.ts';

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

const rungsText = (rungs: Experiment['rungs']): string =>
  rungs.map(({ configurations, steps }) => `${configurations} × ${steps} steps`).join(', then ');

/** The table of an experiment, best configuration first. */
function tableText({ paths, rows, rungs, objective, seeds }: Experiment): string {
  const sign = objective.direction === 'maximize' ? -1 : 1;
  const ordered = rows.toSorted(
    (a, b) =>
      b.rung - a.rung ||
      Number(a.mean === null) - Number(b.mean === null) ||
      sign * ((a.mean ?? 0) - (b.mean ?? 0)),
  );
  const range = (row: Experiment['rows'][number]): string =>
    row.interval ? row.interval.map((bound) => number(bound)).join(' to ') : '';
  return columns([
    ['', ...paths, objective.metric, '95 % interval', 'seeds', 'steps', 'state'],
    ...ordered.map((row) => [
      row.isBest ? 'best' : '',
      ...row.values.map(valueText),
      row.mean === null ? '' : number(row.mean),
      range(row),
      `${row.n} of ${seeds.length}`,
      String(row.steps),
      row.cutAt === null
        ? [...new Set(row.runs.map(({ state }) => state))].join(', ')
        : `cut after rung ${row.cutAt + 1} of ${rungs.length}`,
    ]),
  ]);
}

const answerOf = (value: Experiment): Answer => ({
  value,
  text: `${value.name} is ${value.state}: ${value.ended} of ${value.of} runs have ended.\n${tableText(value)}`,
});

const planText = ({ configurations, seeds, rungs, runs, steps, seconds }: ExperimentPlan): string =>
  [
    `${configurations.length} configurations × ${seeds.length} seeds: ${runs} runs, ${steps} steps`,
    ...(rungs.length > 1 ? [rungsText(rungs)] : []),
    ...(seconds === null ? [] : [`about ${Math.ceil(seconds)} s, by runs like these`]),
  ].join('\n');

/** Waits until an experiment has ended; Ctrl+C stops it, and it can go on later. */
async function toEnd(bench: OpenServices, id: string, log: (line: string) => void): Promise<Experiment> {
  const { services, waitForRun } = bench;
  const { experiments } = services;
  const release = onInterrupt(
    () => void experiments.stop(id).catch((error: unknown) => log(WhetstoneError.from(error).message)),
  );
  const say = throttled(log);
  try {
    for (;;) {
      await experiments.settled();
      const now = await experiments.get(id);
      say(`${now.name}: ${now.ended} of ${now.of} runs have ended`);
      const live = now.rows.flatMap(({ runs }) => runs).find(isLive);
      if (!live) return now;
      await waitForRun(live.runId);
    }
  } finally {
    release();
  }
}

export const experimentCommand: Command = {
  name: 'experiment',
  usage: 'SPEC.json --workspace DIR [--plan]',
  summary:
    'Run an experiment to its end: a base specification, axes, a strategy (grid, random, successive-halving), ' +
    'seeds and an objective. --plan lists its configurations without running. Ctrl+C stops it.',
  example: 'sweep.json --workspace my-work --plan',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, plan: { type: 'boolean' } },
  async run({ positionals: [path], values, log }) {
    const spec = await readSpec(path);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      const plan = await bench.services.experiments.plan(spec);
      if (values.plan === true) {
        const rows = plan.configurations.map((chosen) => chosen.map(valueText));
        return { value: plan, text: `${planText(plan)}\n${columns([plan.paths, ...rows])}` };
      }
      log(planText(plan));
      const { id } = await bench.api.experiments.launch({ spec });
      return answerOf(await toEnd(bench, id, log));
    } finally {
      await bench.close();
    }
  },
};

export const experimentsCommand: Command = {
  name: 'experiments',
  usage: '[list | show ID | go-on ID | stop ID | remove ID [--runs]] --workspace DIR',
  summary:
    'List the experiments of the workspace, show one with its table, run the rest of one, stop one, or remove one, ' +
    'with --runs its runs as well.',
  example: 'show ID --workspace my-work --json',
  positionals: { least: 0, most: 2 },
  options: { ...workspaceOption, runs: { type: 'boolean' } },
  async run({ positionals: [action = 'list', given], values, log }) {
    const id = idFor(action, given);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const { experiments } = bench.services;
    try {
      if (action === 'list') return listAnswer(await experiments.list());
      if (action === 'go-on') {
        await experiments.goOn(id);
        return answerOf(await toEnd(bench, id, log));
      }
      if (action === 'stop') await experiments.stop(id);
      if (action === 'remove') {
        const { name } = await experiments.get(id);
        await experiments.remove(id, values.runs === true);
        return {
          value: { id },
          text: `'${name}' is removed${values.runs === true ? ' with its runs' : ''}.`,
        };
      }
      return answerOf(await experiments.get(id));
    } finally {
      await bench.close();
    }
  },
};

const listAnswer = (value: readonly Experiment[]): Answer => ({
  value,
  text: columns([
    ['id', 'strategy', 'state', 'runs', 'name'],
    ...value.map(({ id, spec, state, ended, of, name }) => [
      id,
      spec.strategy.kind,
      state,
      `${ended} of ${of}`,
      name,
    ]),
  ]),
});

/** The id that an action needs. Throws `invalid-input` without one, and for an unknown action. */
function idFor(action: string, id: string | undefined): string {
  if (!['list', 'show', 'go-on', 'stop', 'remove'].includes(action))
    throw new WhetstoneError('invalid-input', `There is no action '${action}'.`, {
      where: 'experiments',
      hint: 'Use list, show, go-on, stop or remove.',
    });
  if (action !== 'list' && id === undefined)
    throw new WhetstoneError('invalid-input', 'The id of the experiment is missing.', {
      where: 'experiments',
      hint: '"experiments" lists them.',
    });
  return id ?? '';
}
