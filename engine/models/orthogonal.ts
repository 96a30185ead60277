/**
 * Orthonormalizes a matrix [rows, columns] of independent normals in place: its columns if there are at most as
 * many of them as rows, else its rows. By Gram and Schmidt in float64, each vector twice, which keeps its
 * direction, so that the result is uniform over such matrices (Saxe et al., 2013, use it for initial weights).
 */
export const orthogonalize = (values: Float32Array, rows: number, columns: number): void => {
  const [count, length] = columns <= rows ? [columns, rows] : [rows, columns];
  const at = (vector: number, k: number): number =>
    columns <= rows ? k * columns + vector : vector * columns + k;
  const done: Float64Array[] = [];
  for (let vector = 0; vector < count; vector++) {
    const own = Float64Array.from({ length }, (_, k) => values[at(vector, k)]);
    // a second pass removes what rounding left of earlier vectors
    for (const other of [...done, ...done]) {
      let product = 0;
      for (let k = 0; k < length; k++) product += own[k] * other[k];
      for (let k = 0; k < length; k++) own[k] -= product * other[k];
    }
    const norm = Math.hypot(...own);
    for (let k = 0; k < length; k++) values[at(vector, k)] = own[k] /= norm;
    done.push(own);
  }
};
