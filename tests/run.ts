import { checks } from './run/checks.ts';
import type { Check, Outcome } from './run/check.ts';

/**
 * What `npm test` runs. Names of groups run only those: `npm run check` is `types lint boundaries`. Output of
 * a check appears as one piece when it is done, or as it comes where the check runs alone. The last line is
 * the count of everything.
 */
interface Done extends Outcome {
  readonly check: Check;
  readonly seconds: number;
}

const wanted = process.argv.slice(2);
const groups = [...new Set(checks.map((check) => check.group))];
const unknown = wanted.filter((name) => !groups.includes(name));
if (unknown.length > 0) {
  console.error(`There is no check named ${unknown.join(', ')}. Checks: ${groups.join(', ')}.`);
  process.exit(2);
}
const chosen = checks.filter((check) => wanted.length === 0 || wanted.includes(check.group));

async function perform(check: Check): Promise<Done> {
  const start = performance.now();
  let held = '';
  if (check.alone) console.log(`\n── ${check.name} ──`);
  const outcome = await check.run((text) => {
    if (check.alone) process.stdout.write(text);
    else held += text;
  });
  const seconds = (performance.now() - start) / 1000;
  if (!check.alone)
    console.log(
      `\n── ${check.name}: ${word(outcome)} in ${seconds.toFixed(1)} s ` +
        `──${outcome.failed > 0 && held ? `\n${held.trimEnd()}` : ''}`,
    );
  return { ...outcome, check, seconds };
}

const word = ({ failed, passed }: Outcome) => (failed > 0 ? 'FAILED' : passed > 0 ? 'passed' : 'skipped');

/** Two at a time; what needs the machine to itself waits until the others are done. */
async function performAll(): Promise<Done[]> {
  const shared = chosen.filter((check) => !check.alone);
  const done: Done[] = [];
  const lane = async () => {
    for (let check = shared.shift(); check; check = shared.shift()) done.push(await perform(check));
  };
  await Promise.all([lane(), lane()]);
  for (const check of chosen.filter((c) => c.alone)) done.push(await perform(check));
  return done;
}

const start = performance.now();
const done = await performAll();
const total = (key: 'passed' | 'failed' | 'skipped') => done.reduce((sum, outcome) => sum + outcome[key], 0);

console.log('\n── summary ──');
for (const check of chosen) {
  const outcome = done.find((d) => d.check === check);
  if (!outcome) continue;
  const { passed, failed, skipped, seconds, note } = outcome;
  console.log(
    `${word(outcome).padEnd(8)}${check.name.padEnd(26)}${seconds.toFixed(1).padStart(7)} s   ${passed} ` +
      `passed, ${failed} failed, ${skipped} skipped${note ? `   ${note}` : ''}`,
  );
}
const failures = done.flatMap((outcome) => outcome.failures ?? []);
if (failures.length > 0) console.log(`\n── failures ──\n${failures.join('\n')}\n`);
console.log(`in ${((performance.now() - start) / 1000).toFixed(0)} s\n`);
console.log(`${total('passed')} passed, ${total('failed')} failed, ${total('skipped')} skipped`);
process.exitCode = total('failed') > 0 ? 1 : 0;
