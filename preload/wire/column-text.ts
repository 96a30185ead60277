/** A computed column's definition, as far as its text needs it. */
type Definition = { readonly by: string } & Readonly<Record<string, unknown>>;

const idIn = (value: unknown): string =>
  typeof value === 'object' && value !== null && 'id' in value ? String(value.id) : '';

/** The columns that a step computes: two for a map, else the one of its name. */
export const columnNames = (name: string, { by }: Pick<Definition, 'by'>): readonly string[] =>
  by === 'map' ? [`${name}.x`, `${name}.y`] : [name];

/** A definition in words, for the history and lists. */
export function columnText(definition: Definition): string {
  const { by, code, reward, model, samples, clusters } = definition;
  switch (by) {
    case 'code':
      return `computed by code: ${String(code)}`;
    case 'reward':
      return `computed by the reward ${idIn(reward)}`;
    case 'model':
      return `score of the reward model ${idIn(model)}`;
    case 'perplexity':
      return `perplexity under ${idIn(model)}`;
    case 'pass-rate':
      return `share of ${String(samples)} answers by ${idIn(model)} with ${idIn(reward)} = 1`;
    case 'spread':
      return `spread of ${idIn(reward)} over ${String(samples)} answers by ${idIn(model)}`;
    case 'map':
      return 'place of the text on a map';
    default:
      return `cluster of the text, of ${String(clusters)}`;
  }
}
