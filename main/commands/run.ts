import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Command } from './command.ts';
import { followed } from './followed.ts';
import { estimated, limitOf, limitOption, refuseTooLarge, shown } from './preflight.ts';
import { readSpec } from './read-spec.ts';

type Budgeted = { readonly budget?: { readonly overcommit?: unknown } } | null;
const overcommits = (spec: unknown): boolean => (spec as Budgeted)?.budget?.overcommit === true;
const overcommitted = (spec: unknown): unknown =>
  typeof spec === 'object' && spec !== null
    ? { ...spec, budget: { ...(spec as Budgeted)?.budget, overcommit: true } }
    : spec;

export const runCommand: Command = {
  name: 'run',
  usage: 'SPEC.json --workspace DIR [--limit-mb N] [--anyway]',
  summary:
    'Run a specification to its end if it fits in memory; --anyway: even if it does not. Ctrl+C stops ' +
    'it after the current step.',
  example: 'base.json --workspace my-work',
  positionals: { least: 1, most: 1 },
  options: { ...workspaceOption, ...limitOption, anyway: { type: 'boolean' } },
  async run({ positionals: [path], values, log }) {
    const limit = limitOf(values);
    const spec = values.anyway === true ? overcommitted(await readSpec(path)) : await readSpec(path);
    const bench = await openServices({ workspacePath: text(values, 'workspace'), create: true });
    try {
      const estimate = await estimated(bench.services, spec, { limit, log, dryRun: false });
      if (values.anyway !== true && !overcommits(spec)) refuseTooLarge(estimate);
      log(shown(estimate));
      const { runId } = await bench.api.runs.launch({ spec });
      return await followed(bench, runId, log);
    } finally {
      await bench.close();
    }
  },
};
