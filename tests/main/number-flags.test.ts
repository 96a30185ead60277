import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { readNumber } from '../../engine/common/number-text.ts';
import { commands } from '../../main/commands/index.ts';
import { cli } from '../support/cli.ts';
import { temporaryFolder } from '../support/folder.ts';

/**
 * Every flag of every command that takes a number (`N`, `T`) or numbers (`1,2,3`) according to its usage, so
 * that new flags are tested automatically.
 */
const flags = commands.flatMap((command) =>
  [...command.usage.matchAll(/--([a-z-]+) (N|T|SHARE|\d+(?:,\d+)+)\b/g)].map(([, name, form]) => ({
    command,
    name,
    isList: form.includes(','),
  })),
);

describe('a number flag', () => {
  it('is recognized in every command that has one', () => {
    expect(flags.map(({ command, name }) => `${command.name} --${name}`).sort()).toEqual(
      expect.arrayContaining([
        'demo --seed',
        'generate --max-tokens',
        'generate --samples',
        'generate --seed',
        'generate --temperature',
        'logits --tokens',
        'methods --seeds',
        'preflight --limit-mb',
        'run --limit-mb',
        'serve --port',
        'study --seed',
      ]),
    );
    const texts = [
      'composer',
      'workspace',
      'question',
      'conclusion',
      'notes',
      'baseline',
      'report',
      'name',
      'spec',
      'model',
      'checkpoint',
      'world',
      'agent',
      'prompt',
      'answer',
      'suite',
      'slice',
      'by',
      'with',
      'side',
      'set',
      'to',
      'dtype',
      'rewards',
      'dismiss',
      'restore',
      'run',
      'device',
      'install',
      'from',
      'sanity',
      'vary',
      'map',
      'query',
      'sort',
      'author',
      'tag',
      'untag',
      'flag',
      'unflag',
      'note',
      'dataset',
      'labels',
      'format',
      'mode',
      'options',
      'item',
      'verdict',
      'details',
      'value',
      'filter',
      'guidelines',
      'labeler',
      'order',
      'params',
      'tokenizer',
      'against',
      'split',
      'outcome',
      'to-dataset',
      'to-labels',
      'score',
      'fix',
      'version',
      'code',
      'arena',
      'reward',
      'perplexity',
      'pass-rate',
      'spread',
      'purpose',
      'prompts',
      'as',
      'columns',
      'by',
      'allocation',
      'given',
      'column',
      'parts',
      'stratify',
      'file',
      'text',
      'state',
      'consensus',
      'answer',
      'reference',
      'mark',
      'source',
      'to-dataset',
      'to-labels',
      'proxy',
      'fork',
      'pattern',
      'json-schema',
      'guide',
      'guide-how',
      'draft',
      'steer-toward',
      'steer-away',
      'metric',
      'tasks',
      'operators',
    ];
    const undeclared = commands.flatMap(({ name, options }) =>
      Object.entries(options)
        .filter(([, { type }]) => type === 'string')
        .map(([flag]) => flag)
        .filter(
          (flag) =>
            !texts.includes(flag) && !flags.some((each) => each.command.name === name && each.name === flag),
        ),
    );
    expect(undeclared, 'flags that are neither known to be text nor declared as numbers').toEqual([]);
  });

  for (const { command, name, isList } of flags) {
    const wrong = [
      'abc',
      '',
      '1e999',
      '0x10',
      '1_000',
      '３',
      'Infinity',
      // scores of steps, shares of a guide and strengths of a direction may be negative
      ...(['threshold', 'guide-weight', 'steer-strength'].includes(name) ? [] : ['-1']),
      ...(isList ? ['1,,2', '1,x'] : ['1,5']),
    ];
    it.each(wrong)(`${command.name} --${name} rejects “%s” before anything is opened`, async (given) => {
      const folder = temporaryFolder();
      const spec = join(folder, 'spec.json');
      const workspace = join(folder, 'w');
      writeFileSync(spec, '{}');
      const values = { workspace, spec, model: folder, sanity: 'sft', [name]: given };
      const outcome = command.run({
        positionals: command.positionals.most > 0 ? [spec] : [],
        values,
        json: true,
        log: () => undefined,
      });
      await expect(outcome).rejects.toMatchObject({ kind: 'invalid-input', where: `--${name}` });
      expect(existsSync(workspace)).toBe(false);
    });
  }

  it('is rejected if it is repeated or has no effect, instead of being ignored', async () => {
    expect(await cli('demo', '--seed', '1', '--seed', '2', '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where: '--seed' } },
    });
    expect(await cli('methods', '--seeds', '1', '--json')).toMatchObject({
      code: 1,
      value: { error: { kind: 'invalid-input', where: '--seeds' } },
    });
  });
});

describe('parsing of numbers', () => {
  const read = (text: string, bounds = {}): unknown => {
    const found = readNumber(text, bounds);
    return found.ok ? found.value : found.message;
  };

  it.each([
    ['3', 3],
    [' 3 ', 3],
    ['+3', 3],
    ['-3', -3],
    ['−3', -3],
    ['.5', 0.5],
    ['5.', 5],
    ['0.0003', 3e-4],
    ['1e-4', 1e-4],
    ['1E+2', 100],
    ['1e−4', 1e-4],
    ['-0', 0],
    ['0e9', 0],
    ['3\t', 3],
  ])('reads “%s” as %d', (text, value) => {
    expect(read(text)).toBe(value);
  });

  it.each([
    '',
    '  ',
    'abc',
    '3x',
    '0x10',
    '0b1',
    '0o7',
    '1_000',
    '1 000',
    '1’000',
    '1,000',
    '0,0003',
    '1.000,5',
    '３',
    '٣',
    '½',
    'Infinity',
    '-Infinity',
    'NaN',
    'null',
    'true',
    '1e',
    'e5',
    '--3',
    '1-2',
    '1e1.5',
    '1e999',
    '1e-999',
    '.',
    '5%',
    '1/2',
  ])('rejects “%s”', (text) => {
    expect(read(text)).toBeTypeOf('string');
  });

  it('suggests what to write instead', () => {
    expect(read('0,0003')).toBe(
      '“0,0003” is not a number: use a point for decimals (0.5), and nothing between thousands (1000)',
    );
    expect(read('1_000')).toBe('“1_000” is not a number: write it without anything between its digits');
    expect([read('1e999'), read('1e-999')]).toEqual([
      '“1e999” is too large',
      '“1e-999” is too small to tell from 0',
    ]);
  });

  it('is exact: integers must be integers, and keep every digit', () => {
    expect([read('1e3', { integer: true }), read('3.0', { integer: true })]).toEqual([1000, 3]);
    expect([read('1.5', { integer: true }), read('9007199254740993', { integer: true })]).toEqual([
      'must be a whole number',
      'is too large to be kept to the last digit',
    ]);
  });
});
