import type { PairEnsemble } from '../../preload/contract/ensembles.ts';
import { columns, type Values } from './command.ts';
import { between, percent, shown, type Action } from './rewards-action.ts';

/** The other reward models of --with. */
export const othersOf = (values: Values): string[] =>
  values.with === undefined
    ? []
    : [values.with]
        .flat()
        .flatMap((each) => String(each).split(','))
        .map((each) => each.trim())
        .filter(Boolean);

/** Mean margin, spread and share against the majority of a pair. */
export const ensembleCells = (ensemble: PairEnsemble | null): string[] =>
  ensemble
    ? [shown(ensemble.margin), shown(ensemble.spread), `${percent(ensemble.dissent)} %`]
    : ['–', '–', '–'];

/** The accuracy of several reward models and of their mean margin, and whether they disagree where it is wrong. */
export const ensemble: Action = async ({ inspections }, { runId, otherId, values }) => {
  const others = [...(otherId === '' ? [] : [otherId]), ...othersOf(values)];
  const found = await inspections.ensemble({ runId, others });
  const rate = (each: (typeof found)['ensemble']): string[] =>
    each ? [percent(each.accuracy), between(each.interval)] : ['–', '–'];
  const rows = found.judges.map((judge) => [judge.name, ...rate(judge.rate), shown(judge.deviation)]);
  const rho = found.correlation === null ? 'undefined' : found.correlation.toFixed(2);
  const told = [
    columns([['model', 'accuracy', '95 %', 'deviation'], ...rows, ['ensemble', ...rate(found.ensemble), '']]),
    `on ${found.pairs} pairs that all were inspected on, ${found.disputed} of them not in one order`,
    `rank correlation of disagreement with being wrong: ${rho}, n = ${found.pairs}`,
    'margins are divided by their own deviation from 0, model by model',
  ];
  const value = { ...found, positions: [...found.positions], spread: [...found.spread] };
  return { value, text: told.join('\n') };
};
