import { userInfo } from 'node:os';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Handlers } from '../../preload/contract/define.ts';
import type { deriving, DerivingProgress, RebuildProgress } from '../../preload/contract/deriving.ts';
import { makeDataset } from '../services/deriving/make.ts';
import { draw } from '../services/deriving/plan.ts';
import { rebuildDataset } from '../services/deriving/rebuild.ts';
import { stateOf } from '../services/deriving/states.ts';
import { tagSample } from '../services/deriving/tag.ts';
import type { Services } from '../services/services.ts';
import { follow } from './stream.ts';

const newest = <T>(_older: T, newer: T): T => newer;
const never = new AbortController().signal;
/** The author's name, or that of the account. */
const nameOf = (author: string): string => author || userInfo().username;

export const derivingHandlers = (services: Pick<Services, 'store'>): Handlers<typeof deriving> => ({
  plan: async ({ recipe }) => (await draw(services.store, recipe, never)).plan,
  make: ({ recipe, name, author }, signal) =>
    follow<DerivingProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      const made = { recipe, name, author: nameOf(author) };
      makeDataset(services.store, made, controller.signal, push).then(
        () => end(),
        (error: unknown) => end(error),
      );
      return () => controller.abort();
    }),
  tag({ recipe, tag, author }) {
    if (recipe.kind !== 'sample')
      throw new WhetstoneError('invalid-input', 'Only the rows of a sample can be tagged.', {
        where: 'recipe.kind',
        hint: 'Tag the rows of a query by curation.change.',
      });
    return tagSample(services.store, { recipe, tag, author: nameOf(author) }, never);
  },
  rebuild: ({ id }, signal) =>
    follow<RebuildProgress>(signal, newest, (push, end) => {
      const controller = new AbortController();
      rebuildDataset(services.store, id, controller.signal, push).then(
        (rebuilt) => {
          push({ state: 'done', rebuilt });
          end();
        },
        (error: unknown) => end(error),
      );
      return () => controller.abort();
    }),
  state: ({ id, version }) => stateOf(services.store, id, version),
});
