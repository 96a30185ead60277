import { join } from 'node:path';
import { openServices } from '../open.ts';
import { number, text, workspaceOption, type Command } from './command.ts';

export const generateCommand: Command = {
  name: 'generate', usage: 'PROMPT… --checkpoint ID --workspace DIR [--samples N] [--temperature T] [--max-tokens N] [--seed N]',
  summary: 'Answer prompts with a checkpoint of the workspace.',
  positionals: { least: 1, most: 256 },
  options: { ...workspaceOption, checkpoint: { type: 'string' }, samples: { type: 'string' }, temperature: { type: 'string' }, 'max-tokens': { type: 'string' }, seed: { type: 'string' } },
  async run({ positionals, values }) {
    const asked = {
      prompts: positionals,
      samples: number(values, 'samples', { fallback: 1, least: 1, most: 1024, whole: true }),
      temperature: number(values, 'temperature', { fallback: 1, least: 0.01, most: 5 }),
      maxTokens: number(values, 'max-tokens', { fallback: 64, least: 1, most: 8192, whole: true }),
      seed: number(values, 'seed', { fallback: 0, least: 0, most: 0xffff_ffff, whole: true }),
    };
    const { services, close } = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const checkpoint = await services.store.checkpoints.get(text(values, 'checkpoint'));
      const value = await services.engine.call('generate', { ...asked, checkpoint: join(services.folder, checkpoint.path) });
      return { value, text: value.map((a) => `${a.prompt}${a.completion}  (log-probability ${a.logp.toFixed(2)})`).join('\n') };
    } finally {
      await close();
    }
  },
};
