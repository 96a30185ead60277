import type { RunSpec } from '../../../../engine/schema/run-spec.ts';
import { humanize, plural } from '../../../lib/format.ts';
import type { Role } from './role-fields.ts';
import { choicesOf, type Stock } from './stock.ts';

/** One line about a run: what it concerns, and what will run. */
export interface SummaryLine {
  readonly term: string;
  readonly text: string;
}

const labelOf = (stock: Stock, key: string, id: string): string =>
  choicesOf(stock, key, [key], () => undefined)?.find(({ value }) => value === id)?.label ?? 'unavailable';

const paramsText = (params: Readonly<Record<string, unknown>>, usual: Readonly<Record<string, unknown>>) =>
  Object.entries(params)
    .filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key]))
    .map(([key, value]) => `${humanize(key).toLowerCase()} ${shown(value)}`);

/** A value of a specification as text; numbers to the last digit, as typed; of an object its settings. */
export const shown = (value: unknown): string => {
  if (typeof value === 'boolean') return value ? 'on' : 'off';
  if (value === undefined || value === null) return 'none';
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.some(isRecord)) return value.map(shown).join('; ');
  if (!isRecord(value)) return JSON.stringify(value);
  return leaves(value, '')
    .map(
      ([path, leaf]) =>
        `${humanize(path.replaceAll('params.', '').replaceAll('.', ' ')).toLowerCase()} ${shown(leaf)}`,
    )
    .join(', ');
};

/** Default values of a JSON schema of parameters. */
const defaultsOf = (params: { readonly [key: string]: unknown } | undefined): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries((params?.properties ?? {}) as Record<string, { default?: unknown }>).map(([key, each]) => [
      key,
      each.default,
    ]),
  );

function dataText({ task }: RunSpec, stock: Stock): string {
  switch (task.kind) {
    case 'world': {
      const world = stock.catalogue.worlds.find(({ id }) => id === task.id);
      return [world?.title ?? task.id, ...paramsText(task.params, defaultsOf(world?.params))].join(', ');
    }
    case 'dataset':
      return [
        labelOf(stock, 'datasetId', task.datasetId),
        ...(task.version === undefined ? [] : [`version ${task.version}`]),
        ...(task.trainPart === undefined ? [] : [`trained on ${task.trainPart}`]),
        ...(task.heldoutPart === undefined ? [] : [`held out ${task.heldoutPart}`]),
      ].join(', ');
    case 'labels':
      return labelOf(stock, 'labelSetId', task.labelSetId);
    case 'control':
      return [
        task.id,
        ...(task.charts ?? []).map(({ chart, weight }) => `chart ${chart.name} × ${weight}`),
      ].join(', ');
  }
}

function modelText(
  { models: { policy }, adapter }: Pick<RunSpec, 'models' | 'adapter'>,
  stock: Stock,
): string {
  const trained = adapter && adapter.kind !== 'none' ? `, ${adapter.kind} of rank ${adapter.rank}` : '';
  switch (policy.kind) {
    case 'checkpoint':
      return `${labelOf(stock, 'checkpointId', policy.checkpointId)}${trained}`;
    case 'model':
      return `${labelOf(stock, 'modelId', policy.modelId)}${trained}`;
    case 'network':
      return `random weights: a network of ${policy.hidden.join(' and ')} units, ${policy.activation}`;
    case 'new': {
      const { width, layers, context } = policy.architecture;
      return `random weights: ${plural(layers, 'layer')} of width ${width}, ${context} tokens, ${policy.tokenizer.kind}`;
    }
  }
}

/** The options of sampling that are used: filters, a guide, a direction, a grammar. */
function samplingText(
  { topK, topP, minP, guidance, steering, grammar }: RunSpec['sampling'],
  stock: Stock,
): readonly string[] {
  const guide =
    guidance?.kind === 'checkpoint'
      ? labelOf(stock, 'checkpointId', guidance.checkpointId)
      : guidance?.kind === 'model'
        ? labelOf(stock, 'modelId', guidance.modelId)
        : 'the initial model';
  return [
    ...(topK === undefined ? [] : [`top-k ${topK}`]),
    ...(topP === undefined ? [] : [`top-p ${topP}`]),
    ...(minP === undefined ? [] : [`min-p ${minP}`]),
    ...(guidance && guidance.kind !== 'none'
      ? [
          `${guide} ${{ mix: 'mixed in', add: 'added', cap: 'caps tokens' }[guidance.how]} at ${guidance.weight}`,
        ]
      : []),
    ...(steering && steering.kind !== 'none'
      ? [`steered by ${steering.strength} after layer ${steering.layer}`]
      : []),
    ...(grammar && grammar.kind !== 'none'
      ? [grammar.kind === 'pattern' ? `answers match ${grammar.pattern}` : 'answers fit a JSON Schema']
      : []),
  ];
}

/** A further evaluation: its name, what it measures, and of what. */
function furtherText(
  { name, world, datasetId, part, measure = 'answers', role }: NonNullable<RunSpec['evaluations']>[number],
  stock: Stock,
): string {
  const of =
    datasetId === undefined
      ? (stock.catalogue.worlds.find(({ id }) => id === world?.id)?.title ?? world?.id ?? '')
      : labelOf(stock, 'datasetId', datasetId);
  const on = part === undefined ? of : `${of}, part ${part}`;
  return `${name}: ${measure} on ${on}${role === undefined ? '' : ` of the ${role}`}`;
}

/** A composer with the parameters that differ from its usual ones. */
function composerText({ id, params }: NonNullable<RunSpec['composer']>, { catalogue }: Stock): string {
  const composer = catalogue.composers.find((each) => each.id === id);
  return [composer?.title ?? id, ...paramsText(params, defaultsOf(composer?.params))].join(', ');
}

const scorersText = (rewards: RunSpec['rewards'], { catalogue }: Stock): readonly string[] =>
  rewards.map(({ id, weight }) => {
    const title = catalogue.rewards.find((each) => each.id === id)?.title ?? id;
    return weight === 1 ? title : `${weight} × ${title}`;
  });

/** What each further role has of its own: its model, optimizer, sampling, rewards. */
const rolesText = (spec: RunSpec, roles: readonly Role[], stock: Stock): readonly SummaryLine[] =>
  roles.map(({ name }) => {
    const source = name in spec.models ? spec.models[name] : undefined;
    const { adapter = null, optimizer, sampling, rewards } = spec.roles?.[name] ?? {};
    const own = [
      ...(source ? [modelText({ models: { policy: source }, adapter }, stock)] : []),
      ...(optimizer ? [`${optimizer.kind} at ${optimizer.learningRate}`] : []),
      ...(sampling ? [`${plural(sampling.maxTokens, 'token')} at temperature ${sampling.temperature}`] : []),
      ...(rewards ? [`rewards: ${scorersText(rewards, stock).join(' + ')}`] : []),
    ];
    return { term: humanize(name), text: own.length > 0 ? own.join('; ') : 'as the policy' };
  });

/** A checked specification in words; `withSteps`: the run takes steps of an optimizer. */
export function summaryOf(spec: RunSpec, stock: Stock, withSteps: boolean): readonly SummaryLine[] {
  const { catalogue } = stock;
  const method = catalogue.methods.find(({ id }) => id === spec.method.id);
  const { budget, optimizer, evaluation, sampling } = spec;
  const rewards = scorersText(spec.rewards, stock);
  const lines: SummaryLine[] = [
    {
      term: 'Method',
      text: [
        method?.title ?? spec.method.id,
        ...paramsText(spec.method.params, defaultsOf(method?.params)),
      ].join(', '),
    },
    { term: 'Data', text: dataText(spec, stock) },
    { term: 'Start', text: modelText(spec, stock) },
  ];
  lines.push(...rolesText(spec, method?.roles ?? [], stock));
  if (rewards.length > 0) lines.push({ term: 'Rewards', text: rewards.join(spec.composer ? ', ' : ' + ') });
  if (spec.composer) lines.push({ term: 'Total', text: composerText(spec.composer, stock) });
  lines.push({
    term: 'Budget',
    text: withSteps
      ? [
          `${plural(budget.steps, 'step')} of ${budget.batch}`,
          // what samples alone has no optimizer
          ...(method?.produces === 'rows' ? [] : [`${optimizer.kind} at ${optimizer.learningRate}`]),
        ].join(', ')
      : 'solved in closed form, no steps',
  });
  if (method?.produces === 'policy' && evaluation.problems > 0) {
    const measured =
      spec.task.kind === 'control'
        ? plural(evaluation.problems, 'episode')
        : `${plural(evaluation.problems, 'held-out problem')} × ${plural(evaluation.samples, 'answer')} of at most ` +
          plural(sampling.maxTokens, 'token');
    const when = evaluation.every > 0 ? `every ${plural(evaluation.every, 'step')}` : 'at the end';
    lines.push({ term: 'Evaluation', text: `${measured}, ${when}` });
  }
  const further = (spec.evaluations ?? []).map((one) => furtherText(one, stock));
  if (further.length > 0) lines.push({ term: 'Measured too', text: further.join('; ') });
  const filters = samplingText(sampling, stock);
  if (filters.length > 0) lines.push({ term: 'Sampling', text: filters.join(', ') });
  lines.push({ term: 'Device', text: `${spec.device}, seed ${spec.seed}` });
  return lines;
}

/** A setting that two specifications have with other values; undefined where one lacks it. */
export interface Difference {
  readonly path: string;
  readonly from: unknown;
  readonly to: unknown;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const leaves = (value: unknown, path: string): readonly (readonly [string, unknown])[] =>
  isRecord(value)
    ? Object.entries(value).flatMap(([key, inner]) => leaves(inner, path === '' ? key : `${path}.${key}`))
    : [[path, value]];

/** The settings of roles without what they have of the run. */
const ownSettings = (spec: RunSpec): unknown =>
  Object.fromEntries(
    Object.entries(spec.roles ?? {}).map(([name, settings]) => [
      name,
      Object.fromEntries(
        Object.entries(settings).map(([key, value]) => [
          key,
          key === 'optimizer' || key === 'sampling' ? changedIn(value ?? {}, spec[key]) : value,
        ]),
      ),
    ]),
  );

const changedIn = (own: object, usual: Readonly<Record<string, unknown>>): unknown =>
  Object.fromEntries(
    Object.entries(own).filter(([key, value]) => JSON.stringify(value) !== JSON.stringify(usual[key])),
  );

const sectionOf = (value: unknown) => (value === undefined ? {} : isRecord(value) ? value : null);

/**
 * Entries of a list by their names or ids, charts by theirs, so that those of two lists can be compared; null
 * if they have none.
 */
const entriesOf = (value: unknown): Readonly<Record<string, unknown>> | null => {
  const list = value ?? [];
  if (!Array.isArray(list) || !list.every(isRecord)) return null;
  const names = list.map(({ name, id, chart }) => name ?? id ?? (isRecord(chart) ? chart.name : undefined));
  const areNames = new Set(names).size === names.length && names.every((name) => typeof name === 'string');
  return areNames ? Object.fromEntries(list.map((entry, at) => [names[at], entry])) : null;
};

/** Settings with other values, without the name; of two lists, entries that one lacks are whole. */
export const differencesOf = (from: RunSpec, to: RunSpec): readonly Difference[] =>
  differences(
    { ...from, name: undefined, roles: ownSettings(from) },
    { ...to, name: undefined, roles: ownSettings(to) },
    '',
  );

function differences(from: unknown, to: unknown, path: string): readonly Difference[] {
  if (JSON.stringify(from) === JSON.stringify(to)) return [];
  for (const [of, isList] of [
    [sectionOf, false],
    [entriesOf, true],
  ] as const) {
    const [before, after] = [of(from), of(to)];
    if (!before || !after) continue;
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((key) => {
      const inner = path === '' ? key : `${path}.${key}`;
      return isList && (before[key] === undefined || after[key] === undefined)
        ? [{ path: inner, from: before[key], to: after[key] }]
        : differences(before[key], after[key], inner);
    });
  }
  return [{ path, from, to }];
}

interface Checked {
  readonly valid: { readonly of: string; readonly spec: RunSpec } | null;
  readonly origin: RunSpec | null;
}
interface At {
  /** The present specification, as it was checked. */
  readonly now: string;
  readonly isCopy: boolean;
  readonly isSolved: boolean;
  readonly stock: Stock;
}

/** The last valid specification in words, and what differs from its origin; `isOld`: the form has changed. */
export const summarized = ({ valid, origin }: Checked, { now, isCopy, isSolved, stock }: At) =>
  valid && {
    lines: summaryOf(valid.spec, stock, !isSolved),
    differences: origin ? differencesOf(origin, valid.spec) : [],
    isCopy,
    isOld: valid.of !== now,
  };
