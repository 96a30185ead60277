import { WhetstoneError } from '../../engine/common/errors.ts';
import {
  axisOf,
  listItems,
  MOST_VARIANTS,
  named,
  seedAxis,
  variantsOf,
  type Axis,
} from '../../engine/common/sweep.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices } from '../headless/open.ts';
import {
  number,
  parseNumberFlag,
  text,
  workspaceOption,
  type Answer,
  type Command,
  type Values,
} from './command.ts';
import { forkOption, forkText, withSettings } from './fork-option.ts';
import { followed } from './followed.ts';
import { estimated, limitOf, limitOption, refuseTooLarge, shown } from './preflight.ts';
import { readSpec } from './read-spec.ts';

type Budgeted = { readonly budget?: { readonly overcommit?: unknown } } | null;
const overcommits = (spec: unknown): boolean => (spec as Budgeted)?.budget?.overcommit === true;
const overcommitted = (spec: unknown): unknown =>
  typeof spec === 'object' && spec !== null
    ? { ...spec, budget: { ...(spec as Budgeted)?.budget, overcommit: true } }
    : spec;

const anyNumber = { least: -Number.MAX_VALUE, most: Number.MAX_VALUE };

/** `optimizer.learningRate=0.0003, 0.001`: a setting and its values, a run each. */
const parsedAxis = (given: string): Axis => {
  const [path, list = ''] = given.split(/=(.*)/s);
  if (path === '' || list.trim() === '')
    throw new WhetstoneError('invalid-input', `“${given}” is not a setting with values.`, {
      where: '--vary',
      hint: 'Write a setting and its values: --vary "optimizer.learningRate=0.0003, 0.001"',
    });
  const items = listItems(list) ?? [list];
  return { path: path.split('.'), values: items.map((item) => parseNumberFlag('vary', item, anyNumber)) };
};

/** Values of a setting that is named several times belong together. */
const axesOf = (given: readonly string[]): readonly Axis[] =>
  [...Map.groupBy(given.map(parsedAxis), ({ path }) => path.join('.')).values()].map((same) =>
    axisOf(
      same[0].path,
      same.flatMap(({ values }) => values),
    ),
  );

/** The specifications to run: one, or every combination of the varied settings and seeds. */
const specsOf = (spec: unknown, values: Values): readonly unknown[] => {
  const seeds = number(values, 'seeds', { fallback: 1, least: 1, most: MOST_VARIANTS, whole: true });
  const varied = Array.isArray(values.vary) ? values.vary.map(String) : [];
  if (seeds === 1 && varied.length === 0) return [spec];
  const base = (typeof spec === 'object' && spec !== null ? spec : {}) as Record<string, unknown>;
  const variants = variantsOf(base, [...axesOf(varied), ...seedAxis(base, seeds)]);
  if (variants.length > MOST_VARIANTS)
    throw new WhetstoneError(
      'invalid-input',
      `That makes ${variants.length} runs; at most ${MOST_VARIANTS}.`,
      {
        where: '--vary',
      },
    );
  const { name, method } = base as { name?: string; method?: { id?: string } };
  return named(variants, name || method?.id || 'run');
};

export const runCommand: Command = {
  name: 'run',
  usage:
    'SPEC.json --workspace DIR [--seeds N] [--vary "SETTING=A, B"]… [--set SETTING=VALUE]… ' +
    '[--fork CHECKPOINT] [--question TEXT] [--limit-mb N] [--anyway]',
  summary:
    'Run a specification to its end if it fits in memory; --anyway: even if it does not. --seeds and --vary ' +
    'make several runs, one for each combination; --set changes a setting. --fork continues a checkpoint (its id, ' +
    'or RUN@STEP) with changed settings, without SPEC.json those of its run. Ctrl+C stops the run after the ' +
    'current step.',
  example: 'base.json --workspace my-work --seeds 3',
  positionals: { least: 0, most: 1 },
  options: {
    ...workspaceOption,
    ...limitOption,
    set: { type: 'string', multiple: true },
    fork: { type: 'string' },
    anyway: { type: 'boolean' },
    question: { type: 'string' },
    seeds: { type: 'string' },
    vary: { type: 'string', multiple: true },
  },
  async run({ positionals: [path], values, log }) {
    const limit = limitOf(values);
    const file = path === undefined ? null : await readSpec(path);
    if (file === null) text(values, 'fork');
    else specsOf(file, values);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      const fork = await forkOption(bench, values);
      const given = withSettings(file ?? fork?.spec, values);
      const specs = specsOf(given, values).map((spec) =>
        values.anyway === true ? overcommitted(spec) : spec,
      );
      // all of them before the first starts
      for (const spec of specs) await bench.api.runs.check({ spec });
      for (const spec of fork ? specs : []) log(await forkText(bench, fork?.checkpointId ?? '', spec));
      const answers: Answer[] = [];
      for (const spec of specs) {
        const estimate = await estimated(bench.services, spec, { limit, log, dryRun: false });
        if (values.anyway !== true && !overcommits(spec)) refuseTooLarge(estimate);
        log(shown(estimate));
        const { runId } = await bench.api.runs.launch({
          spec,
          fork: fork?.checkpointId,
          question: String(values.question ?? ''),
        });
        const answer = await followed(bench, runId, log);
        answers.push(answer);
        if ((answer.value as { run: Run }).run.state === 'stopped') break;
      }
      if (specs.length === 1) return answers[0];
      return {
        value: answers.map(({ value }) => value),
        text: answers.map((answer) => answer.text).join('\n'),
      };
    } finally {
      await bench.close();
    }
  },
};
