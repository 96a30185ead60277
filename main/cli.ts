import { WhetstoneError } from '../engine/common/errors.ts';
import { parseArguments } from './commands/arguments.ts';
import type { Command } from './commands/command.ts';
import { factsOf, helpOf, overview } from './commands/help.ts';
import { commands } from './commands/index.ts';
import { withIds } from './commands/names.ts';
import { toJson } from './store/json.ts';

/** Never throws for a flag of a later word: only `--json` is looked for before the command is known. */
const wantsJson = (args: readonly string[]): boolean => args.includes('--json');

function commandOf(name: string): Command {
  const command = commands.find((c) => c.name === name);
  if (command) return command;
  throw new WhetstoneError('invalid-input', `There is no command '${name}'.`, {
    where: name,
    hint: `There are: ${commands.map((c) => c.name).join(', ')}, help.`,
  });
}

/** `help`, or `help COMMAND`. */
function help(args: readonly string[], json: boolean): string {
  const [name, ...more] = args.filter((word) => word !== '--json');
  if (more.length > 0)
    throw new WhetstoneError('invalid-input', `'help' was given ${more.length + 1} arguments.`, {
      where: 'help',
      hint: 'Usage: help [COMMAND]',
    });
  if (name === undefined) return json ? toJson(commands.map(factsOf)) : overview(commands);
  const command = commandOf(name);
  return json ? toJson(factsOf(command)) : helpOf(command);
}

async function answer(
  [name = 'help', ...args]: readonly string[],
  json: boolean,
): Promise<readonly [text: string, exit: 0 | 1]> {
  if (name === 'help' || name === '--help' || name === '-h') return [help(args, json), 0];
  const command = commandOf(name);
  const given = parseArguments(command, args);
  if (given.values.help === true) return [json ? toJson(factsOf(command)) : helpOf(command), 0];
  const { values, positionals } = await withIds(command, given);
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
