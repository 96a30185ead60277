import { methodDefiner } from '../kernel/method.ts';
import type { Tasks } from '../tasks/kinds/index.ts';

/** Declares a method. Its `task` names the kind of task, whose sources `recipe` receives. */
export const defineMethod = methodDefiner<Tasks>();
