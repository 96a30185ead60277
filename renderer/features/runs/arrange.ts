import type { Line } from '../../charts/series.ts';

export interface Curve {
  readonly name: string;
  readonly lines: readonly Line[];
}
export interface Section {
  readonly title: string;
  readonly curves: readonly Curve[];
  /** Curves that are 0 at every step. */
  readonly flat: readonly Curve[];
  readonly values: readonly { name: string; step: number; value: number }[];
}

/** Metrics shown first; the others follow by name. */
const FIRST = [
  'reward/mean',
  'return/mean',
  'rewards/accuracies',
  'loss',
  'kl',
  'reward/total',
  'entropy',
  'eval/return',
  'eval/pass_at_1',
  'eval/gold',
  'eval/accuracy',
  'eval/loss',
];
const upkeep = (name: string) =>
  name.startsWith('seconds/') ||
  name.startsWith('system/') ||
  ['tokens_per_second', 'learning_rate', 'skipped', 'grad_norm'].includes(name);
/** Measures of the sampled answers, of their groups, and of the distance to the sampler. */
const aboutRows = (name: string) =>
  /^(sampling|completions|frac_reward_zero_std|kl)(\/|$)/.test(name) && name !== 'kl';
const rank = (name: string) => (FIRST.includes(name) ? FIRST.indexOf(name) : FIRST.length);

const isPoint = ({ lines }: Curve) => lines.every(({ steps }) => steps.length < 2);
const isFlat = ({ lines }: Curve) => lines.every(({ values }) => values.every((value) => value === 0));

/** Without gold where it is pass@1: for a verifier of right or wrong, the two are one. */
function withoutRepeats(curves: readonly Curve[]): readonly Curve[] {
  const valuesOf = (name: string) =>
    JSON.stringify(curves.find((each) => each.name === name)?.lines.map(({ values }) => [...values]));
  return valuesOf('eval/gold') === valuesOf('eval/pass_at_1')
    ? curves.filter(({ name }) => name !== 'eval/gold')
    : curves;
}

/** The roles that share metrics, whose names then begin with the role; the policy first. */
function rolesOf(curves: readonly Curve[]): readonly string[] {
  const policy = 'policy/';
  const shared = curves.flatMap(({ name }) => (name.startsWith(policy) ? [name.slice(policy.length)] : []));
  const roles = curves.flatMap(({ name }) => {
    const role = name.slice(0, name.indexOf('/'));
    return shared.includes(name.slice(role.length + 1)) ? [role] : [];
  });
  return [...new Set(['policy', ...roles])].filter((role) => roles.includes(role));
}

/**
 * Groups metrics into training (of each role, where several train), answers and groups, evaluation, and speed and upkeep.
 * A metric with one point is shown as a number, not a curve; those that stay 0 stand apart.
 */
export function arrange(all: readonly Curve[]): Section[] {
  const curves = withoutRepeats(all);
  const roles = rolesOf(curves);
  const roleOf = (name: string) => roles.find((role) => name.startsWith(`${role}/`));
  const ownName = (name: string) => name.slice(roleOf(name) === undefined ? 0 : name.indexOf('/') + 1);
  const about = (test: (name: string) => boolean) => (name: string) => test(ownName(name));
  const isTraining = about((name) => !name.startsWith('eval/') && !upkeep(name) && !aboutRows(name));
  const titles = [
    ['Training', (name: string) => isTraining(name) && roleOf(name) === undefined],
    ...roles.map(
      (role) => [`Training: ${role}`, (name: string) => isTraining(name) && roleOf(name) === role] as const,
    ),
    ['Answers and groups', about(aboutRows)],
    ['Evaluation', about((name) => name.startsWith('eval/'))],
    ['Speed and upkeep', about(upkeep)],
  ] as const;
  const order = (name: string) => rank(ownName(name));
  return titles
    .map(([title, belongs]) => {
      const own = curves
        .filter(({ name }) => belongs(name))
        .sort((a, b) => order(a.name) - order(b.name) || a.name.localeCompare(b.name));
      return {
        title,
        curves: own.filter((curve) => !isPoint(curve) && !isFlat(curve)),
        flat: own.filter((curve) => !isPoint(curve) && isFlat(curve)),
        values: own
          .filter(isPoint)
          .flatMap(({ name, lines }) =>
            lines
              .filter(({ steps }) => steps.length === 1)
              .map(({ steps, values }) => ({ name, step: steps[0], value: values[0] })),
          ),
      };
    })
    .filter(({ curves: charts, flat, values }) => charts.length + flat.length + values.length > 0);
}
