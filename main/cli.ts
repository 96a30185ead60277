import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../engine/common/errors.ts';
import type { Command } from './commands/command.ts';
import { commands } from './commands/index.ts';
import { toJson } from './store/json.ts';

const help = (): string =>
  [
    'Whetstone: a workbench for post-training language models with preferences and verifiers.',
    '',
    'Usage: npm run cli -- COMMAND [arguments] [--json]',
    '',
    ...commands.map((c) => `  ${`${c.name} ${c.usage}`.trim()}\n      ${c.summary}`),
    '',
    '--json: the last line of standard output is one JSON value, everything else goes to standard error; ' +
      'a failure is { "error": … } and exits with 1.',
  ].join('\n');

/** Never throws for a flag of a later word: only `--json` is looked for before the command is known. */
const wantsJson = (args: readonly string[]): boolean => args.includes('--json');

/** A flag that is there more often than it can be: only one of its values would count. */
const repeated = (given: readonly string[], options: ParseArgsOptionsConfig): string | undefined =>
  given.find(
    (name, at) =>
      given.indexOf(name) !== at && options[name].type === 'string' && options[name].multiple !== true,
  );

function parse(command: Command, args: readonly string[]) {
  try {
    const options = { ...command.options, json: { type: 'boolean' }, help: { type: 'boolean' } } as const;
    const { values, positionals, tokens } = parseArgs({
      args: [...args],
      options,
      allowPositionals: true,
      strict: true,
      tokens: true,
    });
    const twice = repeated(
      tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])),
      options,
    );
    if (twice !== undefined)
      throw new WhetstoneError('invalid-input', `--${twice} was given more than once.`, {
        where: `--${twice}`,
        hint: 'Leave all but one of them out.',
      });
    const { least, most } = command.positionals;
    if (values.help !== true && (positionals.length < least || positionals.length > most)) {
      throw new WhetstoneError(
        'invalid-input',
        `'${command.name}' was given ${positionals.length} arguments.`,
        { where: command.name, hint: `Usage: ${command.name} ${command.usage}` },
      );
    }
    return { values, positionals };
  } catch (error) {
    if (error instanceof TypeError && 'code' in error)
      throw new WhetstoneError('invalid-input', error.message, {
        where: command.name,
        hint: `Usage: ${command.name} ${command.usage}`,
        cause: error,
      });
    throw error;
  }
}

async function answer(
  [name = 'help', ...args]: readonly string[],
  json: boolean,
): Promise<readonly [text: string, exit: 0 | 1]> {
  if (name === 'help' || name === '--help' || name === '-h')
    return [
      json ? toJson(commands.map((c) => ({ name: c.name, usage: c.usage, summary: c.summary }))) : help(),
      0,
    ];
  const command = commands.find((c) => c.name === name);
  if (!command)
    throw new WhetstoneError('invalid-input', `There is no command '${name}'.`, {
      where: name,
      hint: `There are: ${commands.map((c) => c.name).join(', ')}, help.`,
    });
  const { values, positionals } = parse(command, args);
  if (values.help === true) return [`${command.name} ${command.usage}\n${command.summary}`, 0];
  const {
    value,
    text,
    exit = 0,
  } = await command.run({ values, positionals, json, log: (line) => void process.stderr.write(`${line}\n`) });
  return [json ? toJson(value) : text, exit];
}

/** Prints, waits until it is written, and ends: nothing that is still open may hold the command back. */
function leave(text: string, code: number, stream: NodeJS.WriteStream = process.stdout): void {
  stream.write(text === '' ? '' : `${text}\n`, () => process.exit(code));
}

const args = process.argv.slice(2);
const json = wantsJson(args);
try {
  leave(...(await answer(args, json)));
} catch (error) {
  const facts = WhetstoneError.from(error);
  if (facts.kind === 'internal') console.error(error);
  if (json) leave(toJson({ error: facts.facts }), 1);
  else
    leave(
      [facts.message, facts.where && `  where: ${facts.where}`, facts.hint && `  ${facts.hint}`]
        .filter(Boolean)
        .join('\n'),
      1,
      process.stderr,
    );
}
