/** Opens the initial models of a run's roles: equal ones once, since roles that train clone what they train. */
import type { Head } from '../../models/config.ts';
import type { OpenedModels } from '../../models/opened-models.ts';
import type { StartRun } from '../../schema/messages.ts';
import type { RunSpec } from '../../schema/run-spec.ts';
import type { TaskData } from '../tasks/task-data.ts';
import { openModel, type OpenedFor } from './open-model.ts';

/** What an initial model is made from. Each new model of a role has random weights of its own. */
const keyOf = (
  { models: { policy: source }, adapter }: Pick<RunSpec, 'models' | 'adapter'>,
  head: Head,
  role?: OpenedFor,
): string =>
  JSON.stringify([
    'initial',
    source,
    adapter?.kind === 'lora' ? adapter : null,
    head,
    ['new', 'network'].includes(source.kind) ? (role?.name ?? null) : null,
  ]);

/** As `openModel`; the arrays of an equal model that is in use. */
export const openShared = (
  run: Pick<StartRun, 'spec' | 'resources'>,
  data: TaskData,
  head: Head,
  { models, role }: { readonly models: OpenedModels; readonly role?: OpenedFor },
): ReturnType<typeof openModel> =>
  models.once(keyOf(run.spec, head, role), () =>
    openModel(run, data, head, { open: models.folder, ...(role && { role }) }),
  );
