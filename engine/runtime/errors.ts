import { WhetstoneError } from '../common/errors.ts';

/**
 * Turns an exception of the runtime into an error a person can act on. Its message is the only sign of the
 * kind.
 */
export const runtimeError = (error: unknown, where: string): WhetstoneError => {
  if (error instanceof WhetstoneError) return error;
  const message = error instanceof Error ? error.message : String(error);
  // a buffer refused by a graphics driver is invalid wherever it is bound
  if (/allocat|bad_alloc|out of memory|arena|max buffer size|\[Invalid Buffer/i.test(message)) {
    return new WhetstoneError('out-of-memory', `The device has too little memory for ${where}: ${message}`, {
      where,
      hint: 'Make the batch, the context or the model smaller, or close other programs.',
      cause: error,
    });
  }
  if (/adapter/i.test(message)) {
    return new WhetstoneError('unsupported', 'There is no graphics adapter here that WebGPU can use.', {
      where,
      hint:
        'Install the driver of your graphics card (on Linux with Vulkan and its loader), then check the ' +
        'device again.',
      cause: error,
    });
  }
  if (/load (shared )?library|backend not found/i.test(message)) {
    return new WhetstoneError(
      'unsupported',
      'This device’s provider library is not installed, or a dependency is missing.',
      {
        where,
        hint: 'Install the provider library and the driver, then check the device again.',
        cause: error,
      },
    );
  }
  return new WhetstoneError('device-failed', `The device failed in ${where}: ${message}`, {
    where,
    hint: 'Check the device in the settings, then start the run again from its last checkpoint.',
    cause: error,
  });
};
