import { count, plural } from '../../lib/format.ts';
import type { Checkpoint } from '../../../preload/contract/runs.ts';
import { DEMO_TIME, isTrained, startFrom, trainBase } from '../../lib/starts.ts';
import type { Holdings } from './holdings.ts';

/** Something to do next: a link, or the demo. */
export interface Step {
  readonly title: string;
  readonly to:
    | 'demo'
    | { readonly path: readonly string[]; readonly query?: Readonly<Record<string, string | undefined>> };
}
export interface NextStep {
  /** Why this step, in a sentence. */
  readonly why: string;
  readonly primary: Step;
  readonly others: readonly Step[];
}

/** Decided pairs from which a reward model is worth training. */
export const ENOUGH_LABELS = 20;
/** Most runs that a comparison is opened with. */
export const COMPARED = 6;

const runDemo: Step = { title: 'Run the demo here', to: 'demo' };
const importData: Step = { title: 'Import data', to: { path: ['datasets'] } };
const trainPolicy: Step = {
  title: 'Train a base policy',
  to: { path: ['runs', 'new'], query: trainBase() },
};

/** Runs with an evaluated policy, newest first. */
export const evaluated = ({ ended }: Holdings): string[] =>
  ended.flatMap(({ id, outcome }) => (outcome?.measure === 'pass@1' ? [id] : []));
/** The comparison of the newest of these runs. */
export const comparison = (runIds: readonly string[]): Exclude<Step['to'], 'demo'> => ({
  path: ['compare'],
  query: { runs: runIds.slice(0, COMPARED).join(',') || undefined },
});
const compareRuns = (runIds: readonly string[]): Step => ({
  title: `Compare ${runIds.length > COMPARED ? 'the last ' : ''}${plural(Math.min(runIds.length, COMPARED), 'run')}`,
  to: comparison(runIds),
});

/** The step for labels that are not used yet, or not enough: train a reward model, or label on. */
function ofLabels({ labelSets, judges }: Holdings): NextStep | null {
  if (judges.length > 0 || labelSets.length === 0) return null;
  const most = labelSets.reduce((a, b) => (b.decided > a.decided ? b : a));
  const label: Step = { title: 'Label pairs', to: { path: ['label', most.id] } };
  const train: Step = {
    title: 'Train a reward model',
    to: { path: ['runs', 'new'], query: { labels: most.id, produces: 'reward' } },
  };
  if (most.decided >= ENOUGH_LABELS)
    return {
      why: `“${most.name}” has ${count(most.decided)} decided pairs, and no reward model has learned from them.`,
      primary: train,
      others: most.labeled < most.pairs ? [label] : [],
    };
  if (most.labeled === most.pairs) return null;
  return {
    why:
      `“${most.name}” has ${count(most.decided)} of ${count(most.pairs)} pairs decided; a reward model ` +
      `needs about ${ENOUGH_LABELS}.`,
    primary: label,
    others: most.decided > 0 ? [train] : [],
  };
}

/** The step where no run left a policy that solves anything: look at the newest, or train another. */
function ofUntrained({ runId, runName, method }: Checkpoint): NextStep {
  const name = runName || method;
  return {
    why: `“${name}” ended before its policy solved a problem: resume or copy it, or train another.`,
    primary: { title: `Open “${name}”`, to: { path: ['runs', runId] } },
    others: [trainPolicy, runDemo],
  };
}

/** The next sensible step for a workspace that holds this. */
export function nextStep(held: Holdings): NextStep {
  const { datasets, policies, improved, addedModels, ended, judges } = held;
  const hasModel = policies.length > 0 || addedModels > 0;
  if (!hasModel && datasets.length === 0 && held.labelSets.length === 0 && ended.length === 0)
    return {
      why: `The demo walks the whole loop on built-in arithmetic: ${DEMO_TIME}.`,
      primary: runDemo,
      others: [importData, trainPolicy],
    };
  const labels = ofLabels(held);
  if (labels) return labels;
  const runIds = evaluated(held);
  const start = policies.find(({ runId }) => isTrained(ended.find(({ id }) => id === runId)));
  if (policies.length > 0 && !start) return ofUntrained(policies[0]);
  if (start && improved.length === 0)
    return {
      why: `“${start.runName || start.method}” left a policy, which reinforcement learning can sharpen.`,
      primary: {
        title: 'Sharpen the policy',
        to: { path: ['runs', 'new'], query: startFrom(start.id) },
      },
      others: [runIds.length > 1 ? compareRuns(runIds) : runDemo],
    };
  if (runIds.length > 1)
    return {
      why: `${plural(runIds.length, 'run')} were evaluated on held-out problems.`,
      primary: compareRuns(runIds),
      others: judges.length > 0 ? [{ title: 'Label more pairs', to: { path: ['label'] } }] : [],
    };
  if (datasets.length > 0 && !hasModel) {
    const [{ id, name, doctor }] = datasets;
    return {
      why: `“${name}” is imported, and there is no model yet.`,
      primary: {
        title: 'Train a base policy on it',
        to: { path: ['runs', 'new'], query: trainBase(id) },
      },
      others:
        doctor.answers > doctor.prompts
          ? [{ title: 'Label its pairs', to: { path: ['label'], query: { dataset: id } } }]
          : [],
    };
  }
  return {
    why: hasModel ? 'A run trains a model further, or evaluates it.' : 'No run has left a model yet.',
    primary: hasModel ? { title: 'Launch a run', to: { path: ['runs', 'new'] } } : trainPolicy,
    others: [runDemo],
  };
}
