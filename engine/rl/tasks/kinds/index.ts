/** Every kind of task; a new one is its file and one line here. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { AnyTaskKind } from '../task-kind.ts';
import { answers } from './answers.ts';
import { demonstrations } from './demonstrations.ts';
import { preferences } from './preferences.ts';
import { prompts } from './prompts.ts';
import { verifiable } from './verifiable.ts';

/** In the order in which forms and the atlas list them. */
export const taskKinds = [demonstrations, preferences, verifiable, answers, prompts] as const;

type Listed = (typeof taskKinds)[number];
/** The sources that a recipe begins with, by kind of task. */
export type Tasks = { readonly [K in Listed as K['kind']]: K['stub'] };

/** What a method learns from. Throws `internal` for a kind that is not in the list. */
export const taskKindOf = ({ task }: { readonly task: string }): AnyTaskKind => {
  const found = taskKinds.find(({ kind }) => kind === task);
  if (!found) throw new WhetstoneError('internal', `There is no kind of task '${task}'.`);
  return found;
};

/** Sources of a method's kind without data, which are never run: enough to build and check its recipe. */
export const stubOf = (method: { readonly task: string }): object => taskKindOf(method).stub;
