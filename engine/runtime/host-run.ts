import ort from 'onnxruntime-node';
import { unreturnable } from '../onnx/lower.ts';
import { sizeOf } from '../tensor/types.ts';
import { runtimeError } from './errors.ts';
import { arrayOf, shapeIn, type Execute, type ProgramFacts, type Values } from './program.ts';
import type { Session, Sessions } from './sessions.ts';

type Places = Readonly<Record<string, ort.Tensor>>;

/**
 * Runs a program on arrays of the host: in-place outputs are written by the run itself if the graph allows
 * it, else copied after it.
 */
export const hostRun =
  (sessions: Sessions, session: () => Promise<Session>, facts: ProgramFacts): Execute =>
  async (feeds, sizes) => {
    const { name, inputs, outputs, inPlace } = facts;
    const tensors: Record<string, ort.Tensor> = {};
    const places: Record<string, ort.Tensor> = {};
    for (const input in inputs)
      tensors[input] = new ort.Tensor(
        inputs[input].dtype,
        feeds[input] as never,
        shapeIn(facts, input, inputs[input], sizes),
      );
    for (const output in outputs) {
      const place = inPlace[output];
      const { dtype } = outputs[output];
      const shape = shapeIn(facts, output, outputs[output], sizes);
      places[output] =
        place?.how === 'shared'
          ? tensors[place.input]
          : new ort.Tensor(dtype, new arrayOf[dtype](sizeOf(shape)) as never, shape);
    }
    await sessions.inTurn(async () => runInto(await session(), tensors, places, name));
    const returned: Record<string, Values> = {};
    for (const output of Object.keys(outputs)) {
      const place = inPlace[output];
      if (!place) returned[output] = places[output].data as Values;
      else if (place.how === 'copied')
        (feeds[place.input] as Float32Array).set(places[output].data as Float32Array);
    }
    return returned;
  };

/**
 * Runs a session that writes every output into its array and copies none back: the copies and their fresh
 * memory cost 2.2 ms per million values returned, ten times the pass that writes them. The run is over when
 * the binding finds that it cannot return the graph's first output.
 */
const runInto = async (
  session: ort.InferenceSession,
  feeds: Places,
  places: Places,
  where: string,
): Promise<void> => {
  try {
    await session.run(feeds, { [unreturnable]: null, ...places });
  } catch (error) {
    if (!(error instanceof Error && error.message === 'Non tensor type is temporarily not supported.'))
      throw runtimeError(error, where);
  }
};
