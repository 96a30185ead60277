import { openServices } from '../headless/open.ts';
import { modelOptions, withModel } from './model-option.ts';
import { text, type Answer, type Command, type Values } from './command.ts';

type Item = { readonly prompt: string; readonly completion: string };

async function ofRun(values: Values, items: Item[]): Promise<readonly (number | null)[]> {
  const bench = await openServices({ workspacePath: text(values, 'workspace') });
  try {
    return (await bench.api.rewards.score({ from: { kind: 'run', id: text(values, 'run') }, items })).scores;
  } finally {
    await bench.close();
  }
}

export const scoreCommand: Command = {
  name: 'score',
  usage: 'ANSWER… --prompt TEXT (--run ID --workspace DIR | --model DIR | --checkpoint ID --workspace DIR)',
  summary:
    'Score answers to a prompt with a reward model: a run’s newest checkpoint, a folder ' +
    '(…ForSequenceClassification), a model of the workspace.',
  example: "'It is 4.' 'It is 5.' --prompt '2+2?' --run RUN --workspace my-work",
  positionals: { least: 1, most: 64 },
  options: { ...modelOptions, run: { type: 'string' }, prompt: { type: 'string' } },
  async run({ positionals, values }): Promise<Answer> {
    const prompt = text(values, 'prompt');
    const items = positionals.map((completion) => ({ prompt, completion }));
    const hasFolder = values.model !== undefined || values.checkpoint !== undefined;
    const scores = hasFolder
      ? await withModel(values, ({ services, folder, base }) =>
          services.engine.call('score', { checkpoint: folder, ...(base && { base }), items }),
        )
      : await ofRun(values, items);
    const leftOut = scores.filter((score) => score === null).length;
    return {
      value: items.map((item, i) => ({ ...item, score: scores[i] })),
      text: [
        ...positionals.map((completion, i) => `${scores[i]?.toFixed(4) ?? 'left out'}  ${completion}`),
        ...(leftOut > 0
          ? [
              `${leftOut} of ${items.length} answers left out: with the prompt they exceed the model’s context.`,
            ]
          : []),
      ].join('\n'),
    };
  },
};
