export { factorize, solveFactorized, solveSymmetric } from './cholesky.ts';
export { judge, marginsOf, rescale, standardized, subset, type Comparisons } from './comparisons.ts';
export { crossValidated, PENALTIES, type Fitted } from './cross-validation.ts';
export { fitLogistic, gramOf, preconditioner, type Start } from './logistic.ts';
export { symmetricEigen } from './symmetric-eigen.ts';
