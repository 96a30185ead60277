/** Decides where a program writes its in-place outputs, and refuses places that do not fit. */
import type { Lowered } from '../onnx/lower.ts';
import { WhetstoneError } from '../common/errors.ts';
import type { Expr } from '../tensor/index.ts';
import { sameShape, show, type TensorType } from '../tensor/types.ts';
import { mayShareAll } from './in-place.ts';
import type { ProgramFacts } from './program.ts';

interface Written {
  /** Used in messages. */
  readonly name: string;
  /** Output → the input that it overwrites. */
  readonly inPlace: Readonly<Record<string, string>>;
  readonly outputs: Readonly<Record<string, Expr>>;
  readonly lowered: Pick<Lowered, 'inputs' | 'outputs'>;
  /** True if outputs are made in separate memory and copied. */
  readonly separate: boolean;
}

/**
 * How each in-place output reaches the fed array. Throws `invalid-input` if its type is not the input's, or
 * if one of several outputs for one input would be lost.
 */
export const placesOf = ({ name, inPlace, outputs, lowered, separate }: Written): ProgramFacts['inPlace'] => {
  const written = Object.entries(inPlace);
  for (const [output, into] of written)
    checkPlace(name, output, lowered.outputs[output], into, lowered.inputs[into]);
  const shared = separate
    ? []
    : mayShareAll(
        written.map(([output, into]) => [outputs[output], into]),
        Object.values(outputs),
      );
  checkSeveral(name, written, shared);
  return Object.fromEntries(
    written.map(([output, into], at) => [output, { input: into, how: shared[at] ? 'shared' : 'copied' }]),
  );
};

const checkPlace = (
  name: string,
  output: string,
  made: TensorType | undefined,
  into: string,
  fed: TensorType | undefined,
): void => {
  if (!made || !fed || made.dtype !== fed.dtype || !sameShape(made.shape, fed.shape)) {
    throw new WhetstoneError(
      'invalid-input',
      `'${name}' cannot write '${output}' (${made ? show(made) : 'no such output'}) over '${into}' ` +
        `(${fed ? show(fed) : 'no such input'}).`,
      { where: name },
    );
  }
};

/**
 * Checks several outputs of one array: the run itself must write all of them, or their order would be lost.
 */
const checkSeveral = (
  name: string,
  places: readonly (readonly [output: string, into: string])[],
  shared: readonly boolean[],
): void => {
  const alone = ([, into]: readonly [string, string]) =>
    places.filter(([, other]) => other === into).length === 1;
  const lost = places.find((place, at) => !shared[at] && !alone(place));
  if (lost)
    throw new WhetstoneError(
      'invalid-input',
      `'${name}' cannot write '${lost[0]}' over '${lost[1]}' as one of several: a value there would be ` +
        'read after it is gone.',
      { where: name },
    );
};
