import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { checkSpec, planNodes } from '../../engine/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Plan, PlanNode, PlanPreview } from '../../preload/contract/plans.ts';
import { number } from '../../preload/wire/numbers.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { previewOf } from '../plans/facts.ts';
import { followPlan } from '../plans/follow.ts';
import { plansOf } from '../plans/index.ts';
import { presets } from '../plans/presets/index.ts';
import { columns, onInterrupt, text, workspaceOption, type Answer, type Command } from './command.ts';
import { throttled } from './progress.ts';
import { arenaText, decisions, requireDecision, wishFor } from './plan-arena.ts';
import { readSpec } from './read-spec.ts';

const previewText = ({ nodes, runs, steps }: PlanPreview): string =>
  [
    `${nodes.length} nodes, ${runs} of them runs: ${steps} steps`,
    columns([
      ['node', 'does', 'steps', 'after'],
      ...nodes.map(({ id, does, steps, needs }) => [id, does, steps ? String(steps) : '', needs.join(', ')]),
    ]),
  ].join('\n');

/** The first measures of a run, or the size of data, or what is wrong. */
const resultText = ({ error, rows, evaluation }: PlanNode): string => {
  if (error) return error.message;
  if (rows !== null) return `${rows} rows`;
  const known = ['pass_at_1', 'reward', 'accuracy', 'rewards/accuracies', 'loss'];
  return known
    .flatMap((name) => (name in evaluation ? [`${name} ${number(evaluation[name])}`] : []))
    .join(', ');
};

/** What a failed node holds up, and how it goes on. */
const heldUp = ({ id, nodes }: Plan): string[] => {
  const [failed, blocked] = (['failed', 'blocked'] as const).map((wanted) =>
    nodes.filter(({ state }) => state === wanted),
  );
  if (failed.length === 0 || blocked.length === 0) return [];
  return [
    `${blocked.map((node) => node.id).join(', ')}: blocked until ${failed.map((node) => node.id).join(', ')} is ` +
      `done; an arena gives no other budget before, unless that candidate is paused. To run what failed once more: ` +
      `plans go-on ${id}`,
  ];
};

const answerOf = (value: Plan): Answer => ({
  value,
  text: [
    `${value.name} is ${value.state}: ${value.done} of ${value.of} nodes are done.`,
    columns([
      ['node', 'state', 'made', 'result'],
      ...value.nodes.map((node) => [
        node.id,
        node.state,
        node.runId ?? node.datasetId ?? node.labelSetId ?? '',
        resultText(node),
      ]),
    ]),
    ...value.arenas.map(arenaText),
    ...heldUp(value),
  ].join('\n'),
  exit: value.state === 'failed' ? 1 : 0,
});

/** After a plan was run: also one that was stopped or waits has not succeeded. */
const endOf = (value: Plan): Answer => ({ ...answerOf(value), exit: value.state === 'done' ? 0 : 1 });

const progressText = ({ name, done, of, secondsLeft, nodes }: Plan): string => {
  const now = nodes.filter(({ state }) => state === 'running' || state === 'making');
  const at = now.map(({ id, step, steps }) => (steps ? `${id} (step ${step} of ${steps})` : id)).join(', ');
  const left = secondsLeft === null ? '' : `, about ${Math.ceil(secondsLeft)} s left`;
  return `${name}: ${done} of ${of} nodes are done${at === '' ? '' : `; now ${at}`}${left}`;
};

/** Waits until nothing of a plan is in progress; Ctrl+C stops it, and it can go on later. */
async function toEnd({ services }: OpenServices, id: string, log: (line: string) => void): Promise<Plan> {
  const interrupted = new AbortController();
  const release = onInterrupt(() => interrupted.abort());
  const say = throttled(log);
  try {
    return await followPlan(services, id, {
      signal: interrupted.signal,
      onPlan: (now) => say(progressText(now)),
      onError: log,
    });
  } finally {
    release();
  }
}

export const planCommand: Command = {
  name: 'plan',
  usage: 'FILE --workspace DIR [--check]',
  summary:
    'Run a plan to its end: several runs, and data made of their answers, from one JSON file. The same file again ' +
    'continues it; finished nodes are not run again. --check lists its nodes without running. Ctrl+C stops it.',
  example: 'plan.json --workspace my-work --check',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, check: { type: 'boolean' } },
  async run({ positionals: [path], values, log }) {
    const plan = await readSpec(path);
    const workspacePath = text(values, 'workspace');
    if (values.check === true) return await checkAnswer(plan, workspacePath);
    const bench = await openServices({ workspacePath, create: true });
    try {
      const preview = await plansOf(bench.services).preview(plan);
      log(previewText(preview).split('\n')[0]);
      const id = await plansOf(bench.services).launch(plan);
      return endOf(await toEnd(bench, id, log));
    } finally {
      await bench.close();
    }
  },
};

/** Its nodes; a workspace that is not there is not made. */
async function checkAnswer(plan: unknown, workspacePath: string): Promise<Answer> {
  const answer = (value: PlanPreview): Answer => ({ value, text: previewText(value) });
  if (!existsSync(join(workspacePath, 'workspace.db')))
    return answer({ ...previewOf(planNodes(plan, checkSpec)), known: null });
  const bench = await openServices({ workspacePath });
  try {
    return answer(await plansOf(bench.services).preview(plan));
  } finally {
    await bench.close();
  }
}

const actions = ['list', 'show', 'go-on', 'stop', ...Object.keys(decisions), 'remove', 'presets', 'preset'];

export const plansCommand: Command = {
  name: 'plans',
  usage:
    '[list | show ID | go-on ID | stop ID | pause ID NAME | pin ID NAME | free ID NAME | add ID NAME --code FILE ' +
    '[--from NAME] | remove ID | presets | preset NAME] [--arena ID] --workspace DIR',
  summary:
    'List the plans of the workspace, show one with its nodes, run the rest of one, stop or remove one. In an arena a ' +
    'candidate can be paused, pinned (at least an equal share of the budgets) or freed, and one added with the code ' +
    'of its reward, from the next budget on; --from begins it from the policy of another one. presets lists plans ' +
    'that ship with Whetstone; preset NAME prints one.',
  example: 'show ID --workspace my-work --json',
  positionals: { least: 0, most: 3 },
  options: {
    ...workspaceOption,
    arena: { type: 'string' },
    code: { type: 'string' },
    from: { type: 'string' },
  },
  async run({ positionals: [action = 'list', given, name], values, log }) {
    requireDecision(action, values);
    const id = idFor(action, given);
    if (action === 'presets' || action === 'preset') return presetAnswer(action, id);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const plans = plansOf(bench.services);
    try {
      if (action === 'list') return listAnswer(await plans.list());
      if (action === 'go-on') {
        await plans.goOn(id);
        return endOf(await toEnd(bench, id, log));
      }
      if (action === 'stop') await plans.stop(id);
      if (action in decisions)
        await plans.decide(
          id,
          await wishFor(action, name, values as { arena?: string; code?: string; from?: string }),
        );
      if (action === 'remove') {
        const { name } = await plans.get(id);
        await plans.remove(id);
        return { value: { id }, text: `'${name}' is removed; its runs and datasets stay.` };
      }
      return answerOf(await plans.get(id));
    } finally {
      await bench.close();
    }
  },
};

function presetAnswer(action: string, name: string): Answer {
  if (action === 'presets')
    return { value: presets, text: columns(presets.map(({ id, title, summary }) => [id, title, summary])) };
  const found = presets.find(({ id }) => id === name);
  if (!found)
    throw new WhetstoneError('not-found', `There is no preset '${name}'.`, {
      where: 'plans',
      hint: `There are: ${presets.map(({ id }) => id).join(', ')}.`,
    });
  return { value: found.plan, text: JSON.stringify(found.plan, null, 2) };
}

const listAnswer = (value: readonly Plan[]): Answer => ({
  value,
  text: columns([
    ['id', 'state', 'nodes', 'name'],
    ...value.map(({ id, state, done, of, name }) => [id, state, `${done} of ${of}`, name]),
  ]),
});

/** The id that an action needs. Throws `invalid-input` without one, and for an unknown action. */
function idFor(action: string, id: string | undefined): string {
  if (!actions.includes(action))
    throw new WhetstoneError('invalid-input', `There is no action '${action}'.`, {
      where: 'plans',
      hint: `Use ${actions.join(', ')}.`,
    });
  if (!['list', 'presets'].includes(action) && id === undefined)
    throw new WhetstoneError('invalid-input', 'The id of the plan is missing.', {
      where: 'plans',
      hint: '"plans" lists them.',
    });
  return id ?? '';
}
