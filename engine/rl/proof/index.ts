import type { ClosedForm } from './closed-form.ts';
import { kernelForms } from './kernel.ts';
import { worlds } from './worlds.ts';
import { statistics } from './statistics.ts';

/** Every closed form of the self-test. A new one is a line of a file here; a new file is one line. */
export const closedForms: readonly ClosedForm[] = [...kernelForms, ...worlds, ...statistics];

export { checkClosedForms, type ClosedForm } from './closed-form.ts';
