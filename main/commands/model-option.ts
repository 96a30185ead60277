import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { ModelPlace } from '../../engine/schema/messages.ts';
import { openServices, plainServices } from '../headless/open.ts';
import { openedModel } from '../services/opened-model.ts';
import type { Services } from '../services/services.ts';
import { entriesOf } from '../store/pages.ts';
import { text, workspaceOption, type Values } from './command.ts';

export const modelOptions = {
  ...workspaceOption,
  model: { type: 'string' },
  checkpoint: { type: 'string' },
} satisfies ParseArgsOptionsConfig;

/** A model's folder, with the services to use it. */
interface OpenedModel extends ModelPlace {
  readonly services: Services;
}

/**
 * Calls `use` with the model of `--model` (a folder, or with `--workspace` a model's id or name) or of
 * `--checkpoint` with `--workspace`. Throws `not-found` if there is none.
 */
export async function withModel<T>(values: Values, use: (opened: OpenedModel) => Promise<T>): Promise<T> {
  const model = values.checkpoint === undefined ? text(values, 'model') : undefined;
  if (model !== undefined && (values.workspace === undefined || existsSync(model))) {
    const services = plainServices();
    try {
      return await use({ services, folder: resolve(model) });
    } finally {
      await services.close();
    }
  }
  const bench = await openServices({ workspacePath: text(values, 'workspace') });
  try {
    return await use({ services: bench.services, ...(await placeOf(bench.services, values, model)) });
  } finally {
    await bench.close();
  }
}

async function placeOf(services: Services, values: Values, model: string | undefined): Promise<ModelPlace> {
  const { store, folder } = services;
  if (model === undefined)
    return { folder: join(folder, (await store.checkpoints.get(text(values, 'checkpoint'))).path) };
  const found = (await entriesOf((before) => store.models.list(before))).find(
    ({ id, name }) => id === model || name === model,
  );
  if (found) return await openedModel(services, found.id);
  throw new WhetstoneError(
    'not-found',
    'There is no such folder, and no model of this id or name in the workspace.',
    { where: model, hint: 'See "models list".' },
  );
}

/** A model of the workspace by its id or name, or a checkpoint by its id. Throws `not-found`. */
export async function workspaceModel(
  { store }: Services,
  given: string,
): Promise<{ readonly kind: 'model' | 'checkpoint'; readonly id: string }> {
  const models = await entriesOf((before) => store.models.list(before));
  const model = models.find(({ id, name }) => id === given || name === given);
  if (model) return { kind: 'model', id: model.id };
  return { kind: 'checkpoint', id: (await store.checkpoints.get(given)).id };
}
