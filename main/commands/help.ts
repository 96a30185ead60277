import type { Command } from './command.ts';

const call = 'npm run cli --';

/** The help of the whole command line. */
export const overview = (commands: readonly Command[]): string =>
  [
    'Whetstone: a workbench for post-training language models with preferences and verifiers.',
    '',
    `Usage: ${call} COMMAND [arguments] [--json]`,
    '',
    ...commands.map((c) => `  ${`${c.name} ${c.usage}`.trim()}\n      ${c.summary}`),
    '',
    '--json: the last line of standard output is one JSON value, everything else goes to standard error; ' +
      'a failure is { "error": … } and exits with 1.',
    `${call} help COMMAND shows one command with an example.`,
  ].join('\n');

/** Usage, summary and an example of one command. */
export const helpOf = ({ name, usage, summary, example, names = [] }: Command): string =>
  [
    `Usage: ${call} ${`${name} ${usage}`.trim()} [--json]`,
    '',
    summary,
    ...(names.length > 0 ? ['', 'Datasets and label sets are given by name or id.'] : []),
    '',
    // -s: npm prints nothing of its own into a file or a pipe
    `Example: npm run -s cli -- ${name} ${example}`,
  ].join('\n');

/** The same facts for `--json`. */
export const factsOf = ({ name, usage, summary, example }: Command) => ({ name, usage, summary, example });
