/** Lists every kind of task. To add one, write its file and one line here. */
import { WhetstoneError } from '../../../common/errors.ts';
import type { AnyTaskKind } from '../task-kind.ts';
import { answers } from './answers.ts';
import { control } from './control.ts';
import { demonstrations } from './demonstrations.ts';
import { instructions } from './instructions.ts';
import { preferences } from './preferences.ts';
import { prompts } from './prompts.ts';
import { verifiable } from './verifiable.ts';

/** In the order of forms and the atlas. */
export const taskKinds = [
  demonstrations,
  preferences,
  verifiable,
  answers,
  prompts,
  instructions,
  control,
] as const;

type Listed = (typeof taskKinds)[number];
/** The row sources of a recipe, by kind of task. */
export type Tasks = { readonly [K in Listed as K['kind']]: K['stub'] };

/** The task kind of a method. Throws `internal` for a kind that is not in the list. */
export const taskKindOf = ({ task }: { readonly task: string }): AnyTaskKind => {
  const found = taskKinds.find(({ kind }) => kind === task);
  if (!found) throw new WhetstoneError('internal', `There is no kind of task '${task}'.`);
  return found;
};

/** Sources without data for a method's kind, which are never run: enough to build and check its recipe. */
export const stubOf = (method: { readonly task: string }): object => taskKindOf(method).stub;
