/**
 * `npm run bench -- [small a b] [--threads 2] [--json]`: how long a training step takes. With `--json` the last line is one JSON value.
 * Benchmarks are no tests: nothing here passes or fails.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { measureTraining, trainModels } from './train.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { threads: { type: 'string', default: String(availableParallelism()) }, json: { type: 'boolean', default: false } } });
const figures = [];
for (const model of positionals.length > 0 ? positionals : trainModels) {
  const made = await measureTraining(model, Number(values.threads));
  figures.push(made);
  const { stepMs, productBoundMs } = made;
  console.error(`${model}: ${stepMs.median.toFixed(1)} ms a step (least ${stepMs.least.toFixed(1)}, 90 % below ${stepMs.p90.toFixed(1)}), `
    + `${(made.parameters / 1e6).toFixed(2)} M parameters, ${made.gigaflop.toFixed(1)} GFLOP; products alone ${productBoundMs.toFixed(1)} ms at ${made.productRate.toFixed(0)} GFLOP/s; `
    + `compiled in ${made.compileMs.toFixed(0)} ms; ${made.threads} threads of ${made.processor}`);
}
if (values.json) console.log(JSON.stringify(figures));
