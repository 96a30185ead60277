import { router } from './lib/router.svelte.ts';
import { session } from './lib/session.svelte.ts';
import { settings } from './lib/settings.svelte.ts';
import { screens } from './screens.ts';
import type { PaletteItem } from './widgets/Palette.svelte';

/** The screens, except those listed as actions. */
const goTo = (): readonly PaletteItem[] =>
  screens
    .filter(({ anew }) => !anew)
    .map(({ id, title, keys }) => ({
      id: `go-${id}`,
      group: 'Go to',
      title,
      ...(keys && { keys }),
      run: () => router.go([id]),
    }));

const doing = (): readonly PaletteItem[] => [
  { id: 'do-launch', group: 'Do', title: 'Launch a run', run: () => router.go(['runs', 'new']) },
  {
    id: 'do-workspace',
    group: 'Do',
    title: 'Create or open a workspace',
    run: () => router.go(['welcome']),
  },
  ...(['light', 'dark', 'system'] as const).map((choice) => ({
    id: `theme-${choice}`,
    group: 'Do',
    title: `Theme: ${choice}`,
    run: () => settings.set('theme', choice),
  })),
];

const runs = (): readonly PaletteItem[] =>
  session.runList.slice(0, 200).map((run) => ({
    id: `run-${run.id}`,
    group: 'Runs',
    title: run.name || run.method,
    note: `${run.method}, ${run.state}`,
    run: () => router.go(['runs', run.id]),
  }));

/** Entries of the command palette. */
export const paletteItems = (): readonly PaletteItem[] => [...goTo(), ...doing(), ...runs()];
