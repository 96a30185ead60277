import ort from 'onnxruntime-node';
import type { DeviceMemory } from './device-memory.ts';
import { runtimeError } from './errors.ts';
import type { Execute, ProgramFacts, Values } from './program.ts';
import type { Session, Sessions } from './sessions.ts';

/**
 * Runs a program on a device with its own memory: held arrays are fed from there, in-place outputs stay
 * there as the new values of the arrays fed for them, everything else is copied to the device and back. Old
 * and new values both exist during a run.
 */
export const deviceRun = (
  sessions: Sessions,
  session: () => Promise<Session>,
  memory: DeviceMemory,
  { name, inputs, outputs, inPlace }: ProgramFacts,
): Execute => {
  const written = new Set(Object.values(inPlace).map(({ input }) => input));
  return (feeds) =>
    sessions.inTurn(async () => {
      for (const input of written) await memory.settle(feeds[input]);
      const stays = ([input]: [string, unknown]): boolean =>
        feeds[input].byteLength > 0 && (written.has(input) || memory.holds(feeds[input]));
      const held = await memory.tensors(
        Object.fromEntries(
          Object.entries(inputs)
            .filter(stays)
            .map(([input, type]) => [input, { array: feeds[input], type }]),
        ),
      );
      const tensors = Object.fromEntries(
        Object.entries(inputs).map(([input, { dtype, shape }]) => [
          input,
          held[input] ?? new ort.Tensor(dtype, feeds[input] as never, shape),
        ]),
      );
      // last: moving arrays to the device may evict the session from the cache
      const ready = await session();
      const results = await ready.run(tensors).catch((error: unknown) => {
        throw runtimeError(error, name);
      });
      const returned: Record<string, Values> = {};
      for (const [output, { dtype }] of Object.entries(outputs)) {
        const place = inPlace[output];
        if (place) memory.replace(feeds[place.input], dtype, results[output]);
        else returned[output] = results[output].data as Values;
      }
      memory.collect();
      return returned;
    });
};
