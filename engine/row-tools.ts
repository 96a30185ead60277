/** Work on rows of data that needs neither models nor methods: quick to load for the threads of the store. */
export { Doctor, type Findings } from './data/doctor.ts';
export { leakage, splitSide, type Leak } from './data/doctor/leakage.ts';
export { nearDuplicates } from './data/doctor/near-duplicates.ts';
export { assignParts, type SplitRow } from './data/drawing/index.ts';
export { itemKey, textHash } from './data/labels/file-label.ts';
export { promptIdOf } from './random/hash.ts';
