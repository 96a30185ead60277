import type { HeadToHead } from '../../preload/contract/head-to-head.ts';
import { openServices } from '../headless/open.ts';
import { columns, number, text, workspaceOption, type Command } from './command.ts';

const shown = (value: number): string => value.toFixed(3);

function tableText({ runs, pairs, decided, equal, duels, abilities, reason, more }: HeadToHead): string {
  const nameOf = (id: string): string => runs.find((run) => run.id === id)?.name ?? id;
  return [
    `${decided} of ${pairs} pairs decided, ${equal} comparisons of equal answers`,
    columns([
      ['run', 'against', 'won', 'tied', 'lost', 'wins', '95 %'],
      ...duels.map(({ a, b, aWins, ties, bWins, rate, interval: [low, high] }) => [
        nameOf(a),
        nameOf(b),
        String(aWins),
        String(ties),
        String(bWins),
        shown(rate),
        `[${shown(low)}, ${shown(high)}]`,
      ]),
    ]),
    ...(abilities
      ? [
          columns([
            ['run', 'ability', '95 %'],
            ...abilities.map(({ runId, ability, interval: [low, high] }) => [
              nameOf(runId),
              shown(ability),
              `[${shown(low)}, ${shown(high)}]`,
            ]),
          ]),
        ]
      : [reason ?? '']),
    ...(more === null || more === 0
      ? []
      : [`about ${more} more decisions would tell the closest pair of runs apart`]),
  ].join('\n');
}

export const headToHeadCommand: Command = {
  name: 'head-to-head',
  usage: 'RUN RUN… | SET --workspace DIR [--pairs N] [--name NAME] [--seed N]',
  summary:
    'Make a label set that compares answers of runs blindly; of such a set, show who wins so far, with intervals.',
  example: 'RUN OTHER --pairs 100 --workspace my-work',
  positionals: { least: 1, most: 8 },
  names: [{ kind: 'label set', from: 0, isOptional: true }],
  options: {
    ...workspaceOption,
    pairs: { type: 'string' },
    name: { type: 'string' },
    seed: { type: 'string' },
  },
  async run({ positionals, values }) {
    const pairs = number(values, 'pairs', { fallback: 200, least: 1, most: 5000, whole: true });
    const seed = number(values, 'seed', { fallback: 0, least: 0, most: 2 ** 31, whole: true });
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { headToHead } = bench.api;
      if (positionals.length === 1) {
        const value = await headToHead.table({ setId: positionals[0] });
        return { value, text: tableText(value) };
      }
      const name = String(values.name ?? '');
      const value = await headToHead.create({ runIds: [...positionals], name, pairs, seed });
      return { value, text: `${value.pairs} pairs to label in '${value.name}' (${value.id})` };
    } finally {
      await bench.close();
    }
  },
};
