import { readFile } from 'node:fs/promises';
import * as z from 'zod';
import { DecisionDetails, labelMode, ModeId, OptionChanges } from '../../engine/schema/labeling/index.ts';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { Choice, ReviewFilter } from '../../preload/contract/labels.ts';
import { openServices } from '../headless/open.ts';
import { judgeActions, judgeNumbers, judgeOptions, judgeUsage } from './labels-judge.ts';
import { qualityActions, qualityOptions, qualityUsage, sharesFrom } from './label-quality.ts';
import { number, text, workspaceOption, type Answer, type Command, type Values } from './command.ts';
import { decideBulk, importFile, listImports, removeImport, undoBulk } from './label-batches.ts';
import { json, labelerOf, oneOf, optional } from './label-flags.ts';

type Api = Awaited<ReturnType<typeof openServices>>['api']['labels'];
type Action = (api: Api, values: Values) => Promise<Answer>;

const setOf = (values: Values) => ({ setId: text(values, 'set') });
const plain = (value: unknown, line: string): Answer => ({ value, text: line });

const create: Action = async (api, values) => {
  const [dataset, run] = [optional(values, 'dataset'), optional(values, 'run')];
  const mode = values.mode === undefined ? 'pair' : oneOf(values, 'mode', ModeId.options);
  const set = await api.createSet({
    name: text(values, 'name', ' ').trim(),
    from:
      run === undefined
        ? { kind: 'dataset', datasetId: dataset ?? text(values, 'dataset') }
        : { kind: 'run', runId: run },
    pairsPerPrompt: perPromptOf(values),
    onlyDiffering: values['only-differing'] === true,
    seed: 0,
    mode,
    options: { ...json(values, 'options', OptionChanges), ...sharesFrom(values) },
  });
  return plain(set, `${set.pairs} items in '${set.name}' (${labelMode(mode).title}), set ${set.id}`);
};

const next: Action = async (api, values) => {
  const items = await api.queue({ ...setOf(values), after: [], count: 1, labeler: labelerOf(values) });
  const [item] = items;
  const answers = (item?.answers ?? []).map((answer, at) => `\n--- answer ${at + 1}\n${answer}`);
  return plain(item ?? null, item ? `${item.pairId}\n${item.prompt}${answers.join('')}` : 'Nothing is left.');
};

const decide = async (api: Pick<Api, 'decide'>, values: Values): Promise<Answer> => {
  const progress = await api.decide({
    pairId: text(values, 'item'),
    verdict: oneOf(values, 'verdict', ['a', 'b', ...Choice.options]),
    seconds: null,
    labeler: labelerOf(values),
    rationale: '',
    details: json(values, 'details', DecisionDetails) ?? {},
    value: json(values, 'value', z.unknown()),
  });
  return plain(progress, `${progress.labeled} of ${progress.pairs} labeled`);
};

/** The labeler who reads: the one of --labeler, or “me” in a set that “me” labels; otherwise none. */
const readerOf = async (api: Api, values: Values): Promise<{ as?: string }> => {
  const labelers = await api.labelers(setOf(values));
  const as = labelerOf(values);
  return values.labeler !== undefined || labelers.some(({ labeler }) => labeler === as) ? { as } : {};
};

const review: Action = async (api, values) => {
  const filter = json(values, 'filter', ReviewFilter) ?? {};
  const as = await readerOf(api, values);
  const page = await api.review({ ...setOf(values), ...as, filter, before: null, limit: 200 });
  const hidden = page.hidden === 0 ? [] : [`${page.hidden} hidden until ${as.as} has decided the same items`];
  const lines = page.decisions.map(
    ({ choice, labeler, prompt, pairId }) => `${choice}\t${labeler}\t${pairId}\t${prompt.slice(0, 60)}`,
  );
  return plain(page, [`${page.total} decisions`, ...hidden, ...lines].join('\n'));
};

const options: Action = async (api, values) => {
  const file = optional(values, 'guidelines');
  const set = await api.setOptions({
    id: text(values, 'set'),
    options: {
      ...json(values, 'options', OptionChanges),
      ...sharesFrom(values),
      ...(file !== undefined && { guidelines: await readFile(file, 'utf8') }),
    },
  });
  return plain(set, JSON.stringify(set.options, null, 2));
};

/** Most pairs of one prompt. Read before a workspace opens, so that its errors come first. */
const perPromptOf = (values: Values): number =>
  number(values, 'per-prompt', { least: 1, most: 100, whole: true, fallback: 4 });

const actions: Readonly<Record<string, Action>> = {
  sets: async (api) => {
    const sets = await api.sets({});
    const lines = sets.map(({ id, name, labeled, pairs }) => `${id}\t${name}\t${labeled} of ${pairs}`);
    return plain(sets, lines.join('\n') || 'No label sets.');
  },
  create,
  next,
  decide,
  review,
  options,
  undo: async (api, values) => {
    const item = await api.undo({ ...setOf(values), labeler: labelerOf(values) });
    return plain(item, item ? `Undone: ${item.pairId}` : 'Nothing to undo.');
  },
  redo: async (api, values) => {
    const decision = await api.redo({ ...setOf(values), labeler: labelerOf(values) });
    return plain(decision, decision ? `Redone: ${decision.pairId}` : 'Nothing to redo.');
  },
  reference: async (api, values) => {
    const value = await api.reference({ pairId: text(values, 'item') });
    return plain(value, value.reference ?? 'No reference is stored.');
  },
  labelers: async (api, values) => {
    const value = await api.labelers(setOf(values));
    return plain(value, value.map(({ labeler, labeled }) => `${labeler}\t${labeled}`).join('\n'));
  },
  rename: async (api, values) => {
    const value = await api.renameSet({ id: text(values, 'set'), name: text(values, 'name') });
    return plain(value, 'Renamed.');
  },
  remove: async (api, values) =>
    plain(await api.removeSet({ id: text(values, 'set') }), 'The set and its labels are removed.'),
};

/** Actions on many items. */
const batches: Readonly<Record<string, typeof importFile>> = {
  import: importFile,
  imports: (bench, _file, values) => listImports(bench, values),
  'remove-import': (bench, id, values) => removeImport(bench, id, values),
  bulk: (bench, _file, values) => decideBulk(bench, values),
  'bulk-undo': (bench, _file, values) => undoBulk(bench, values),
};

const string = { type: 'string' } as const;

export const labelsCommand: Command = {
  name: 'labels',
  usage:
    'sets | create (--dataset ID | --run ID) [--mode MODE] [--options JSON] [--per-prompt N] [--only-differing] ' +
    '[--name NAME] | next --set ID | decide --item ID --verdict VERDICT [--details JSON] [--value JSON] | ' +
    'undo|redo|review|labelers --set ID [--filter JSON] | import FILE --set ID [--as NAME] [--preview] | ' +
    'imports --set ID | remove-import IMPORT --set ID | ' +
    'bulk --set ID --verdict VERDICT [--value JSON] [--text TEXT] [--state open|mine|all] | ' +
    'bulk-undo --set ID --value SEQUENCES | options --set ID [--options JSON] ' +
    '[--guidelines FILE] | reference --item ID | rename --set ID --name NAME | remove --set ID | ' +
    `${judgeUsage} | ` +
    `${qualityUsage}; ` +
    '--workspace DIR [--labeler NAME]',
  summary: 'Create label sets, decide, undo, review, import; measure quality, settle disputes; fit a judge.',
  example: 'next --set SET --workspace my-work',
  positionals: { least: 1, most: 2 },
  names: [
    { kind: 'dataset', option: 'dataset' },
    { kind: 'label set', option: 'set' },
    { kind: 'label set', from: 1, unless: Object.keys(batches) },
  ],
  options: {
    ...workspaceOption,
    ...qualityOptions,
    set: string,
    dataset: string,
    run: string,
    mode: string,
    options: string,
    'per-prompt': string,
    'only-differing': { type: 'boolean' },
    name: string,
    item: string,
    verdict: string,
    details: string,
    value: string,
    filter: string,
    guidelines: string,
    labeler: string,
    as: string,
    preview: { type: 'boolean' },
    text: string,
    state: string,
    ...judgeOptions,
  },
  async run({ positionals: [name, second], values: flags, log }) {
    const isBatch = Object.hasOwn(batches, name);
    // the set can be named without its flag
    const values = second === undefined || isBatch ? flags : { ...flags, set: second };
    perPromptOf(values);
    sharesFrom(values);
    judgeNumbers(values);
    const known = { ...actions, ...batches, ...judgeActions, ...qualityActions };
    if (!Object.hasOwn(known, name))
      throw new WhetstoneError('invalid-input', `There is no action '${name}'.`, {
        where: 'labels',
        hint: `Use ${Object.keys(known).join(', ')}.`,
      });
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      if (isBatch) return await batches[name](bench, second, values, log);
      if (Object.hasOwn(judgeActions, name)) return await judgeActions[name](bench.api, values, log);
      if (Object.hasOwn(qualityActions, name)) return await qualityActions[name](bench.api, values);
      if (name === 'decide' && values.adjudicate === true)
        return await decide(bench.api.adjudication, values);
      return await actions[name](bench.api.labels, values);
    } finally {
      await bench.close();
    }
  },
};
