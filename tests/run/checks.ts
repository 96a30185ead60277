import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { command, failed, node, root, type Check, type Outcome } from './check.ts';
import { chromium, noChromium } from './chromium.ts';

const bin = (path: string) => `node_modules/${path}`;
/**
 * The native compiler takes a quarter of the time; ESLint needs the one with a JavaScript API. Several threads
 * check the same types again.
 */
const tsc = (zone: string) =>
  command(
    'types',
    `types of ${zone}`,
    bin('@typescript/native/bin/tsc'),
    '--singleThreaded',
    '--pretty',
    'false',
    '-p',
    zone,
  );

const playwrightConfig = 'tests/app/playwright.config.ts';

/** Everything that `npm test` runs, in this order. */
export const checks: readonly Check[] = [
  ...['engine', 'main', 'preload', 'tests'].map(tsc),
  { group: 'types', name: 'types of renderer', run: svelteCheck },
  command(
    'format',
    'format',
    bin('prettier/bin/prettier.cjs'),
    '--check',
    '--cache',
    '--log-level',
    'warn',
    '.',
  ),
  command('lint', 'lint', bin('oxlint/bin/oxlint'), '--type-aware', '--max-warnings', '0', '.'),
  command('lint', 'lint of components', bin('eslint/bin/eslint.js'), '--max-warnings', '0', '.'),
  command(
    'boundaries',
    'boundaries',
    bin('dependency-cruiser/bin/dependency-cruise.mjs'),
    '--config',
    '.dependency-cruiser.cjs',
    '--output-type',
    'err',
    'engine',
    'main',
    'preload',
    'renderer',
    'tests',
  ),
  command('build', 'build', 'main/checkout/build.ts'),
  {
    group: 'unit',
    name: 'unit and contract tests',
    alone: true,
    run: (print) => withReport((report) => vitest(report, print)),
  },
  {
    group: 'browser',
    name: 'browser tests',
    alone: true,
    run: (print) => withReport((report) => playwright(report, print)),
  },
];

/**
 * Types and warnings of components. svelte-check writes them as TypeScript for the native compiler and leaves
 * those of deleted components there, so the folder is removed first.
 */
async function svelteCheck(print: (text: string) => void): Promise<Outcome> {
  rmSync(join(root, 'renderer/.svelte-check'), { recursive: true, force: true });
  const { run } = command(
    'types',
    'types of renderer',
    bin('svelte-check/bin/svelte-check'),
    '--workspace',
    'renderer',
    '--tsconfig',
    './tsconfig.json',
    '--output',
    'human',
    '--fail-on-warnings',
    '--tsgo',
  );
  return run(print);
}

async function withReport(run: (path: string) => Promise<Outcome>): Promise<Outcome> {
  const folder = mkdtempSync(join(tmpdir(), 'whetstone-test-'));
  try {
    return await run(join(folder, 'report.json'));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

interface VitestReport {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numTodoTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly failureMessages?: readonly string[] | null;
    }[];
  }[];
}

const firstLines = (text: string, count = 12) =>
  text
    .split('\n')
    .filter((line) => !line.includes('node_modules'))
    .slice(0, count)
    .map((line) => `    ${line}`)
    .join('\n');

/** A file that failed to load has a message and no failed test. */
const failuresOf = ({ testResults }: VitestReport) =>
  testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const file = relative(root, name);
      const tests = assertionResults.filter(({ status }) => status === 'failed');
      return tests.length > 0
        ? tests.map((test) => `${file} › ${test.fullName}\n${firstLines(test.failureMessages?.[0] ?? '')}`)
        : [`${file}\n${firstLines(message)}`];
    });

/** A V8 fault that occasionally ends a multi-threaded process at random (nodejs/node, issue 64500). */
const faultOfV8 = 'Check failed: jit_page.has_value()';

type TestFile = VitestReport['testResults'][number];
/** `ended`: files whose process crashed; they have no failed test and no message. */
interface Ran extends Outcome {
  readonly ended: readonly TestFile[];
}

async function vitestRun(
  path: string,
  print: (text: string) => void,
  files: readonly string[] = [],
): Promise<Ran> {
  const code = await node(
    bin('vitest/vitest.mjs'),
    ['run', ...files, '--reporter=default', '--reporter=json', `--outputFile.json=${path}`],
    print,
  );
  const report = read<VitestReport>(path);
  if (!report) return { ...failed(`no report, exit code ${code}`), ended: [] };
  // A file that does not load, or an unhandled error, fails the run without failing a test: it counts as one.
  const failures = Math.max(report.numFailedTests, code === 0 ? 0 : 1);
  const ended = report.testResults.filter(
    ({ status, message, assertionResults }) =>
      status === 'failed' && message === '' && !assertionResults.some((test) => test.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: failures,
    skipped: report.numPendingTests + report.numTodoTests,
    failures: failuresOf(report),
    ended,
  };
}

/** Runs files that a V8 fault ended once more if nothing else failed; the summary reports this. */
async function vitest(path: string, print: (text: string) => void): Promise<Outcome> {
  let fault = false;
  const first = await vitestRun(path, (text) => {
    fault ||= text.includes(faultOfV8);
    print(text);
  });
  const { ended, failures = [] } = first;
  if (!fault || ended.length === 0 || failures.length !== ended.length) return first;
  const again = await vitestRun(
    path,
    print,
    ended.map(({ name }) => name),
  );
  // the second run counts the tests of these files, so leave out their first results
  const begun = (as: string) =>
    ended.flatMap(({ assertionResults }) => assertionResults).filter(({ status }) => status === as).length;
  return {
    ...again,
    passed: first.passed - begun('passed') + again.passed,
    skipped: first.skipped - begun('pending') + again.skipped,
    note: `run again after a fault of V8: ${ended.map(({ name }) => relative(root, name)).join(', ')}`,
  };
}

interface PlaywrightReport {
  readonly stats: {
    readonly expected: number;
    readonly unexpected: number;
    readonly flaky: number;
    readonly skipped: number;
  };
}

async function playwright(path: string, print: (text: string) => void): Promise<Outcome> {
  const script = bin('@playwright/test/cli.js');
  const browser = chromium();
  const env = { PLAYWRIGHT_JSON_OUTPUT_FILE: path, ...(browser && { CHROMIUM: browser }) };
  const args = ['test', '-c', playwrightConfig, '--reporter=list,json', ...(browser ? [] : ['--list'])];
  const code = await node(script, args, browser ? print : () => {}, env);
  const report = read<PlaywrightReport>(path);
  if (!report) return failed(`no report, exit code ${code}`);
  const { expected, unexpected, flaky, skipped } = report.stats;
  if (!browser) {
    print(`${noChromium}\n`);
    return {
      passed: 0,
      failed: code === 0 ? 0 : 1,
      skipped: specsOf(read<Suite>(path) ?? {}).length,
      note: noChromium,
    };
  }
  const specs = specsOf(read<Suite>(path) ?? {});
  const failures = specs
    .filter(({ ok }) => !ok)
    .map(({ file, title, tests }) => {
      const results = tests.flatMap((test) => test.results);
      const message = firstLines(results.map(({ error }) => error?.message ?? '').join('\n'));
      const shown = firstLines(results.map(shownPage).join('\n'), 40);
      const page = shown.trim() === '' ? '' : `\n    The page showed:\n${shown}`;
      return `tests/app/${file} › ${title}\n${message}${page}`;
    });
  const reasons = specs.flatMap(({ tests }) =>
    tests.flatMap(({ annotations }) =>
      annotations.filter((a) => a.type === 'skip').map((a) => a.description ?? ''),
    ),
  );
  return {
    passed: expected,
    failed: Math.max(unexpected + flaky, code === 0 ? 0 : 1),
    skipped,
    failures,
    ...(reasons.length > 0 && { note: `skipped: ${[...new Set(reasons)].join(' ')}` }),
  };
}

/** The accessibility tree of the page on which a browser test failed; empty if none was open. */
function shownPage({ attachments = [] }: Result): string {
  const path = attachments.find(({ name }) => name === 'error-context')?.path;
  if (path === undefined || !existsSync(path)) return '';
  return /```yaml\n(.*?)\n```/s.exec(readFileSync(path, 'utf8'))?.[1] ?? '';
}

interface Result {
  readonly error?: { readonly message?: string };
  readonly attachments?: readonly { readonly name: string; readonly path?: string }[];
}
interface Spec {
  readonly title: string;
  readonly file: string;
  readonly ok: boolean;
  readonly tests: readonly {
    readonly annotations: readonly { readonly type: string; readonly description?: string }[];
    readonly results: readonly Result[];
  }[];
}
interface Suite {
  readonly specs?: readonly Spec[];
  readonly suites?: readonly Suite[];
}
const specsOf = ({ specs = [], suites = [] }: Suite): readonly Spec[] => [
  ...specs,
  ...suites.flatMap(specsOf),
];

function read<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
