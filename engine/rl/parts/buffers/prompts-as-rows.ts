import type { Columns } from '../../kernel/columns.ts';
import { stage } from '../../kernel/stage.ts';

/** The prompts alone, as rows for a critic of prompts. */
export const promptsAsRows = stage({
  id: 'promptsAsRows',
  station: 'rows',
  needs: ['prompt'],
  adds: ['tokens'],
  run: async ({ prompt }): Promise<{ columns: Pick<Columns, 'tokens'> }> => ({ columns: { tokens: prompt } }),
});
