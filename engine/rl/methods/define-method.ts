import { methodDefiner } from '../kernel/method.ts';
import type { Tasks } from '../tasks/kinds/index.ts';

/** Declares a method. Its `task` names what it learns from, which gives `recipe` the sources of that kind. */
export const defineMethod = methodDefiner<Tasks>();
