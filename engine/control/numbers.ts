/** Numbers of an action, each from −1 to 1: a Gaussian squashed by tanh. */

/** The mean action: tanh of the means, which are the first half of a network's outputs. */
export const meanNumbers = (outputs: Float32Array): Float32Array =>
  outputs.slice(0, outputs.length / 2).map((mean) => Math.tanh(mean));

/**
 * An action drawn by standard normal noise, and its log-probability density over the numbers from −1 to 1.
 */
export const drawNumbers = (
  outputs: Float32Array,
  noise: ArrayLike<number>,
): { readonly numbers: Float32Array; readonly logp: number } => {
  const size = outputs.length / 2;
  const numbers = new Float32Array(size);
  let logp = 0;
  for (let k = 0; k < size; k++) {
    const logDeviation = outputs[size + k];
    const x = outputs[k] + Math.exp(logDeviation) * noise[k];
    numbers[k] = Math.tanh(x);
    // log(1 − tanh² x), which is exact where tanh x is 1 in float64 too
    const squashing = 2 * (Math.LN2 - Math.abs(x) - Math.log1p(Math.exp(-2 * Math.abs(x))));
    logp += -0.5 * noise[k] ** 2 - logDeviation - 0.5 * Math.log(2 * Math.PI) - squashing;
  }
  return { numbers, logp };
};
