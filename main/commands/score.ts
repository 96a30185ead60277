import { openServices } from '../open.ts';
import { text, workspaceOption, type Command } from './command.ts';

export const scoreCommand: Command = {
  name: 'score', usage: 'ANSWER… --prompt TEXT --run ID --workspace DIR', summary: 'Score answers to a prompt with the newest checkpoint of a reward-model run.',
  positionals: { least: 1, most: 64 },
  options: { ...workspaceOption, run: { type: 'string' }, prompt: { type: 'string' } },
  async run({ positionals, values }) {
    const prompt = text(values, 'prompt');
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const { scores } = await bench.api.rewards.score({ runId: text(values, 'run'), items: positionals.map((completion) => ({ prompt, completion })) });
      return { value: positionals.map((completion, i) => ({ prompt, completion, score: scores[i] })), text: positionals.map((completion, i) => `${scores[i].toFixed(4)}  ${completion}`).join('\n') };
    } finally {
      await bench.close();
    }
  },
};
