import { WhetstoneError } from '../../engine/common/errors.ts';
import type { Bulk, QueueState } from '../../preload/contract/queue.ts';
import type { Run } from '../../preload/contract/runs.ts';
import { openServices, type OpenServices } from '../headless/open.ts';
import { columns, number, text, workspaceOption, type Answer, type Command } from './command.ts';
import { followed } from './followed.ts';

const pausedText = ({ paused, atOnce }: QueueState): string => {
  const going = { asked: 'paused', restart: 'paused since the workspace was opened' } as const;
  return `${paused === null ? 'going' : going[paused]}, ${atOnce} at once`;
};

async function listed({ api, services }: OpenServices): Promise<Answer> {
  const state = await api.queue.get({});
  const waiting = await services.store.runs.queued();
  const row = ({ id, method, totalSteps, spec, name }: Run, at: number): string[] => [
    String(at + 1),
    id,
    method,
    spec?.device ?? '',
    String(totalSteps ?? spec?.budget.steps ?? ''),
    name,
  ];
  return {
    value: { ...state, waiting },
    text: [
      `The queue is ${pausedText(state)}.`,
      waiting.length > 0
        ? columns([['place', 'id', 'method', 'device', 'steps', 'name'], ...waiting.map(row)])
        : 'No run is waiting.',
    ].join('\n'),
  };
}

const bulkAnswer = (value: Bulk, done: string): Answer => ({
  value,
  text: [
    `${value.changed.length} ${done}.`,
    ...value.refused.map(({ id, error }) => `${id}: ${error.message}`),
  ].join('\n'),
  exit: value.refused.length > 0 ? 1 : 0,
});

/** Runs everything that waits, in its order; Ctrl+C stops the current run and leaves the others waiting. */
async function goOn(bench: OpenServices, log: (line: string) => void): Promise<Answer> {
  await bench.api.queue.goOn({});
  const runs: Run[] = [];
  for (;;) {
    const [next] = await bench.services.store.runs.queued();
    const id = bench.services.queue.active ?? next?.id;
    if (id === undefined) break;
    const { run } = (await followed(bench, id, log)).value as { run: Run };
    runs.push(run);
    if (run.state === 'stopped') {
      await bench.api.queue.pause({});
      break;
    }
  }
  return { value: { runs }, text: runs.map(({ name, state }) => `${name}: ${state}`).join('\n') };
}

const actions = ['list', 'pause', 'go-on', 'move', 'stop', 'resume'] as const;

export const queueCommand: Command = {
  name: 'queue',
  usage: '[list | pause | go-on | move RUN --to N | stop RUN… | resume RUN…] --workspace DIR [--at-once N]',
  summary:
    'List the runs that wait, change their order, pause the queue, stop or queue several runs; go-on runs all that ' +
    'wait. --at-once: how many may run at a time on the processor where memory allows; an accelerator runs one more.',
  example: 'move RUN --to 1 --workspace my-work',
  positionals: { least: 0, most: 1000 },
  options: { ...workspaceOption, to: { type: 'string' }, 'at-once': { type: 'string' } },
  async run({ positionals: [action = 'list', ...ids], values, log }) {
    const to = number(values, 'to', { fallback: 1, least: 1, most: 1_000_000, whole: true });
    const atOnce = number(values, 'at-once', { fallback: 0, least: 1, most: 8, whole: true });
    const work = actions.find((each) => each === action) ?? unknown(action);
    if (work === 'move' || work === 'stop' || work === 'resume') requireRun(ids);
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    const { queue } = bench.api;
    try {
      if (atOnce > 0) await queue.setAtOnce({ atOnce });
      switch (work) {
        case 'list':
          return await listed(bench);
        case 'pause':
          await queue.pause({});
          return await listed(bench);
        case 'go-on':
          return await goOn(bench, log);
        case 'move':
          await queue.move({ id: ids[0], to });
          return await listed(bench);
        case 'stop':
          return bulkAnswer(await queue.stop({ ids }), 'stopped');
        case 'resume':
          // nothing starts here: the runs wait for `go-on`, or for the app
          await queue.pause({});
          return bulkAnswer(await queue.resume({ ids }), 'queued');
      }
    } finally {
      await bench.close();
    }
  },
};

function unknown(action: string): never {
  throw new WhetstoneError('invalid-input', `There is no action '${action}'.`, {
    where: 'queue',
    hint: `Use one of: ${actions.join(', ')}.`,
  });
}

function requireRun(ids: readonly string[]): void {
  if (ids.length > 0) return;
  throw new WhetstoneError('invalid-input', 'The run is missing.', {
    where: 'queue',
    hint: 'Give the id of a run; "queue" lists those that wait, "runs" all.',
  });
}
