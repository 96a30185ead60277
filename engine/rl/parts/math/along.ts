/** φ · z / ‖φ‖; 0 where φ is 0. */
export const along = (features: Float64Array, direction: ArrayLike<number>): number => {
  const length = Math.hypot(...features);
  return length === 0 ? 0 : features.reduce((sum, x, k) => sum + x * direction[k], 0) / length;
};
