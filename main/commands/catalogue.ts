import { methods, openedWorlds, recipes, sanityResults, worlds } from '../../engine/index.ts';
import { columns, type Command } from './command.ts';

const nothing = { positionals: { least: 0, most: 0 }, options: {} } as const;

export const methodsCommand: Command = {
  name: 'methods', usage: '', summary: 'List the methods: what each learns from, its stations, parameters and presets, its toy run and what that came to.', ...nothing,
  run: () => Promise.resolve({ value: Object.entries(recipes()).flatMap(([id, { recipe }]) => methods.filter((m) => m.id === id).map((m) => ({ ...m, kind: m.task, recipe, sanity: sanityResults[m.id] }))), text: columns(methods.map((m) => [m.id, m.task, m.summary])) }),
};

export const worldsCommand: Command = {
  name: 'worlds', usage: '', summary: 'List the built-in verifiable worlds: levels, held-out levels, turns, lengths, ceiling, parameters.', ...nothing,
  run: () => Promise.resolve({ value: openedWorlds().map((opened) => ({ ...worlds.find(({ id }) => id === opened.id), ...opened })), text: columns(worlds.map((w) => [w.id, w.summary])) }),
};
