import Box from '@lucide/svelte/icons/box';
import ChartLine from '@lucide/svelte/icons/chart-line';
import Database from '@lucide/svelte/icons/database';
import GitCompare from '@lucide/svelte/icons/git-compare-arrows';
import Route from '@lucide/svelte/icons/route';
import Scale from '@lucide/svelte/icons/scale';
import Tags from '@lucide/svelte/icons/tags';

/** The places of the rail, in the order of the loop, each with its key. */
export const places = [
  { id: 'datasets', title: 'Datasets', keys: 'g d', icon: Database },
  { id: 'label', title: 'Label', keys: 'g l', icon: Tags },
  { id: 'rewards', title: 'Rewards', keys: 'g r', icon: Scale },
  { id: 'runs', title: 'Runs', keys: 'g u', icon: ChartLine },
  { id: 'compare', title: 'Compare', keys: 'g c', icon: GitCompare },
  { id: 'models', title: 'Models', keys: 'g m', icon: Box },
  { id: 'methods', title: 'Methods', keys: 'g e', icon: Route },
] as const;
export type PlaceId = (typeof places)[number]['id'];
