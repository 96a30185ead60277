import { openServices } from '../headless/open.ts';
import { text, workspaceOption, type Command, type Values } from './command.ts';

const fields = ['question', 'conclusion', 'notes'] as const;

/** The texts that the flags give. */
const given = (values: Values): Partial<Record<(typeof fields)[number], string>> =>
  Object.fromEntries(
    fields.flatMap((field) => (values[field] === undefined ? [] : [[field, String(values[field])]])),
  );

export const noteCommand: Command = {
  name: 'note',
  usage: 'RUN --workspace DIR [--question TEXT] [--conclusion TEXT] [--notes TEXT]',
  summary:
    'Write the question that a run is to answer, its conclusion, or notes; show them without a flag. An empty ' +
    'text removes one.',
  example: "RUN --workspace my-work --conclusion 'The larger batch changes nothing.'",
  positionals: { least: 1, most: 1 },
  options: {
    ...workspaceOption,
    question: { type: 'string' },
    conclusion: { type: 'string' },
    notes: { type: 'string' },
  },
  async run({ positionals: [id], values }) {
    const bench = await openServices({ workspacePath: text(values, 'workspace') });
    try {
      const {
        name,
        method,
        question = '',
        conclusion = '',
        notes,
      } = await bench.api.runs.edit({
        id,
        ...given(values),
      });
      const value = { id, question, conclusion, notes };
      const shown = fields.map((field) => `${field}: ${value[field] || '–'}`);
      return { value, text: [name || method, ...shown].join('\n') };
    } finally {
      await bench.close();
    }
  },
};
