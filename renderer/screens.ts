import type { Component } from 'svelte';
import Box from '@lucide/svelte/icons/box';
import ChartLine from '@lucide/svelte/icons/chart-line';
import Database from '@lucide/svelte/icons/database';
import House from '@lucide/svelte/icons/house';
import GitCompare from '@lucide/svelte/icons/git-compare-arrows';
import MapIcon from '@lucide/svelte/icons/map';
import Route from '@lucide/svelte/icons/route';
import Scale from '@lucide/svelte/icons/scale';
import Cog from '@lucide/svelte/icons/settings';
import Tags from '@lucide/svelte/icons/tags';
import type { Place } from './features/shell/places.ts';
import type { Route as Address } from './lib/router.svelte.ts';
import Atlas from './views/Atlas.svelte';
import Behaviour from './views/Behaviour.svelte';
import Compare from './views/Compare.svelte';
import Datasets from './views/Datasets.svelte';
import Experiments from './views/Experiments.svelte';
import ExportCurves from './views/ExportCurves.svelte';
import Home from './views/Home.svelte';
import ImportLogs from './views/ImportLogs.svelte';
import Label from './views/Label.svelte';
import Launch from './views/Launch.svelte';
import Lineage from './views/Lineage.svelte';
import Methods from './views/Methods.svelte';
import Models from './views/Models.svelte';
import Plans from './views/Plans.svelte';
import Rewards from './views/Rewards.svelte';
import Runs from './views/Runs.svelte';
import SelfTest from './views/SelfTest.svelte';
import Settings from './views/Settings.svelte';

export interface Screen extends Omit<Place, 'keys' | 'icon'> {
  /** The keyboard shortcut that opens it. */
  readonly keys?: Place['keys'];
  /** Screens with an icon appear in the rail. */
  readonly icon?: Place['icon'];
  /** Gets its parameters from the address, so that the address can be copied. */
  readonly view: Component<Address>;
  /** Recreated on each change of its address, which discards filled-in values. */
  readonly anew?: true;
}

/** Where a workspace opens. */
export const HOME = 'home';

/** A view that needs nothing from its address. */
const plain = (view: Component): Component<Address> => view;

/**
 * The screens in the order of the rail, which follows the training loop after Home. `id` is the first part of
 * their addresses.
 */
export const screens: readonly Screen[] = [
  { id: HOME, title: 'Home', keys: 'g h', icon: House, view: plain(Home) },
  { id: 'datasets', title: 'Datasets', keys: 'g d', icon: Database, view: Datasets },
  { id: 'label', title: 'Label', keys: 'g l', icon: Tags, view: Label },
  { id: 'rewards', title: 'Rewards', keys: 'g r', icon: Scale, view: Rewards },
  { id: 'runs', title: 'Runs', keys: 'g u', icon: ChartLine, view: Runs },
  { id: 'runs/new', title: 'Launch a run', view: Launch, anew: true },
  { id: 'runs/experiments', title: 'Experiments', view: Experiments },
  { id: 'runs/plans', title: 'Plans', view: Plans },
  { id: 'runs/behaviour', title: 'Behaviour', view: Behaviour },
  { id: 'runs/import', title: 'Import logs', view: ImportLogs },
  { id: 'runs/export', title: 'Export curves', view: ExportCurves },
  { id: 'compare', title: 'Compare', keys: 'g c', icon: GitCompare, view: Compare },
  { id: 'models', title: 'Models', keys: 'g m', icon: Box, view: Models },
  { id: 'lineage', title: 'Lineage', view: Lineage },
  { id: 'methods', title: 'Methods', keys: 'g e', icon: Route, view: Methods },
  { id: 'atlas', title: 'Atlas', keys: 'g a', icon: MapIcon, view: Atlas },
  { id: 'settings', title: 'Settings', keys: 'g s', icon: Cog, view: plain(Settings), anywhere: true },
  { id: 'self-test', title: 'Self-test', view: plain(SelfTest), anywhere: true },
];

/** The screens shown in the rail: those with keys and an icon. */
export const places: readonly Place[] = screens.flatMap(({ keys, icon, ...screen }) =>
  keys && icon ? [{ ...screen, keys, icon }] : [],
);

/** The screen of an address; the longer match wins, since `#/runs/new` is not a run. */
export const screenOf = (path: readonly string[]): Screen | undefined => {
  const named = (id: string) => screens.find((screen) => screen.id === id);
  return named(path.slice(0, 2).join('/')) ?? named(path[0] ?? HOME);
};

/** The screens around an address, outermost first: its place, and the list that a view within belongs to. */
export const crumbsOf = (path: readonly string[]): readonly Screen[] => {
  const [place, screen] = [screenOf(path.slice(0, 1)), screenOf(path)];
  const isWithin = screen !== place && path.length > (screen?.id.split('/').length ?? 0);
  return [place, ...(isWithin ? [screen] : [])].filter((each) => each !== undefined);
};
