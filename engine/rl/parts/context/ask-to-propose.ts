import { stage } from '../../kernel/stage.ts';
import { shownPrompts } from '../math/written-verdicts.ts';

/**
 * Prompts that ask for a new problem: they show the problem, or only its expected answer, and end with the
 * cue. A problem without an expected answer is shown itself. `examples`: what `rememberBest` kept, before the
 * problem, the newest first to be left out if not all of them fit.
 */
export const askToPropose = ({
  shows,
  cue,
  examples = { of: '', most: 0 },
}: {
  readonly shows: 'prompt' | 'reference';
  readonly cue: string;
  readonly examples?: { readonly of: string; readonly most: number };
}) =>
  stage({
    id: `askToPropose(${shows}, ${cue}, ${examples.most})`,
    station: 'context',
    needs: ['problem', 'prompt'],
    adds: ['prompt'],
    run: async ({ problem }, { text, memory }) => {
      const earlier = (memory.get(examples.of) as readonly string[] | undefined) ?? [];
      const room = text.context - text.maxTokens;
      const rows = problem.map(({ prompt, reference }) => {
        const asked = shows === 'reference' ? (reference ?? prompt) : prompt;
        for (let count = Math.min(examples.most, earlier.length); count > 0; count--) {
          const shown = [...earlier.slice(0, count), asked].join(cue);
          if (text.prompt(shown + cue).length <= room) return { shown, cue };
        }
        return { shown: asked, cue };
      });
      return { columns: { prompt: shownPrompts(rows, text) } };
    },
  });
