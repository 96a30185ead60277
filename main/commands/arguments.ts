import { parseArgs, type ParseArgsOptionsConfig } from 'node:util';
import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Command, Values } from './command.ts';

/** A flag that is there more often than it can be: only one of its values would count. */
const repeated = (given: readonly string[], options: ParseArgsOptionsConfig): string | undefined =>
  given.find(
    (name, at) =>
      given.indexOf(name) !== at && options[name].type === 'string' && options[name].multiple !== true,
  );

/**
 * Arguments and flags of a command. Throws `invalid-input` for unknown or repeated flags, and for too few or
 * too many arguments.
 */
export function parseArguments(
  command: Command,
  args: readonly string[],
): { readonly values: Values; readonly positionals: readonly string[] } {
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
