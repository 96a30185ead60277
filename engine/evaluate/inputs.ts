/** Checks the inputs of statistics: NaN would pass unseen, or make a loop endless. */
import { WhetstoneError } from '../common/errors.ts';

const refuse = (message: string): never => {
  throw new WhetstoneError('invalid-input', message, {
    hint: 'Leave out missing values, and report their number.',
  });
};

type Numbers = ArrayLike<number>;

const each = (xs: Numbers, name: string, holds: (x: number) => boolean, kind: string): void => {
  for (let i = 0; i < xs.length; i++) {
    if (!holds(xs[i]))
      throw new WhetstoneError(
        'numeric',
        `Number ${i + 1} of ${xs.length} ${name} is ${xs[i]}, and ${kind}.`,
        { where: name, hint: 'Leave out missing values, and report their number.' },
      );
  }
};

/** Throws `numeric` for NaN. Infinities can be ordered. */
export const ordered = (xs: Numbers, name: string): void =>
  each(xs, name, (x) => !Number.isNaN(x), 'it has no place in an order');

/** Throws `numeric` for NaN and infinities. */
export const finite = (xs: Numbers, name: string): void =>
  each(xs, name, Number.isFinite, 'only finite numbers can be computed with');

/** Throws `numeric` unless each is a number from 0 up. */
export const notNegative = (xs: Numbers, name: string): void =>
  each(xs, name, (x) => Number.isFinite(x) && x >= 0, 'only finite numbers from 0 up make sense');

/** Throws `invalid-input` for an empty list. */
export const notEmpty = (xs: { readonly length: number }, name: string): void => {
  if (xs.length === 0) refuse(`There are no ${name}.`);
};

/** Throws `invalid-input` for lists of unequal lengths. */
export const sameLength = (
  xs: { readonly length: number },
  ys: { readonly length: number },
  names: string,
): void => {
  if (xs.length !== ys.length)
    refuse(`The ${names} must be equally many, not ${xs.length} and ${ys.length}.`);
};

/** Throws `invalid-input` unless it is a whole number from `least` up. */
export const whole = (x: number, name: string, least: number): void => {
  if (!Number.isSafeInteger(x) || x < least)
    refuse(`The ${name} must be a whole number from ${least} up, not ${x}.`);
};

/** Throws `invalid-input` unless it is between 0 and 1. */
export const share = (x: number, name: string): void => {
  if (!(x >= 0 && x <= 1)) refuse(`The ${name} must lie between 0 and 1, not ${x}.`);
};
