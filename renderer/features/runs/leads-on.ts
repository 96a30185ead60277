import type { Run } from '../../../preload/contract/runs.ts';
import type { Evolving } from '../../lib/evolve.ts';
import { href } from '../../lib/router.svelte.ts';
import { canBeArena, probe } from '../../lib/starts.ts';
import type { MoreItem } from '../../widgets/more-item.ts';

/** A run’s kind of task, the checkpoint to probe, and the target of “Evolve”. */
interface Facts {
  readonly learnsFrom: string | null;
  readonly probed: string | null;
  readonly evolving: Evolving | null;
}

/** Further actions on a run, as entries of its menu. */
export function leadsOn(run: Run, { learnsFrom, probed, evolving }: Facts): readonly MoreItem[] {
  const { id, spec, step } = run;
  const items: MoreItem[] = [];
  if (evolving) items.push({ title: 'Evolve…', ...evolving });
  if (probed !== null)
    items.push({
      title: 'Probe…',
      address: href(['runs', 'new'], probe({ kind: 'checkpoint', id: probed })),
      hint: 'Looks for ways of asking at which the policy fails; nothing is trained',
    });
  if (canBeArena(run, learnsFrom))
    items.push({
      title: 'Reward arena…',
      address: href(['runs', 'plans', 'new'], { form: 'arena', run: id }),
      hint: 'Rewards in code compete, with the settings of this run',
    });
  if (spec?.task.kind === 'control')
    items.push({
      title: 'Behaviour',
      address: href(['runs', 'behaviour', id]),
      hint: 'Charts of behaviour, checked on its episodes',
    });
  if (step > 0) items.push({ title: 'Export curves…', address: href(['runs', 'export'], { runs: id }) });
  return items;
}
