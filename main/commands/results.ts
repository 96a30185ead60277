import { WhetstoneError } from '../../engine/common/errors.ts';
import { openServices } from '../headless/open.ts';
import { number, text, workspaceOption, type Command } from './command.ts';
import { readViews, resultViews, type ResultView } from './result-views.ts';

const viewOf = (id: string): ResultView => {
  const found = resultViews.find((view) => view.id === id);
  if (found) return found;
  throw new WhetstoneError('not-found', `There is no view '${id}'.`, {
    where: 'results',
    hint: `There are: ${resultViews.map((view) => view.id).join(', ')}.`,
  });
};

/** Prints the results of a run that are no curves; without a view all that it has. */
export const resultsCommand: Command = {
  name: 'results',
  usage: 'RUN [VIEW] --workspace DIR [--limit N]',
  summary:
    'Print what a run found, as the tabs of its page show it: evaluations, inspection, search and rounds, episodes and coverage, ' +
    `replay, start states, verdicts, red team, gallery. Views: ${resultViews.map(({ id }) => id).join(', ')}; without ` +
    'one, all that the run has. --limit: attacks, failures or transcripts of a list.',
  example: 'RUN gallery --workspace my-work --json',
  positionals: { least: 1, most: 2 },
  options: { ...workspaceOption, limit: { type: 'string' } },
  async run({ positionals: [runId, view], values }) {
    const limit = number(values, 'limit', { fallback: 20, least: 1, most: 100, whole: true });
    const asked = view === undefined ? resultViews : [viewOf(view)];
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { name, method } = await bench.api.runs.get({ id: runId });
      const found = await readViews(asked, { api: bench.api, runId, limit });
      if (view !== undefined && found.length === 0)
        throw new WhetstoneError('not-found', `The run has no results of the view '${view}'.`, {
          where: `run ${name || method}`,
        });
      const value = Object.fromEntries(found.map((each) => [each.id, each.value]));
      return {
        value: view === undefined ? value : value[view],
        text:
          found.map(({ title, text: shown }) => `${title}\n${shown}`).join('\n\n') ||
          'The run has no results besides its curves.',
      };
    } finally {
      await bench.close();
    }
  },
};
