/** What the roles of a recipe pass to one another: tokens, or text alone. */
import type { Port } from './columns.ts';
import { modelsRead } from './objective.ts';
import { mainOf, type Recipe } from './recipe.ts';
import { isPort, type Stage } from './stage.ts';

/**
 * One role's model reads what another one wrote. `part`: the stage or objective by which it does; `asText`:
 * true if that passes only text, so that each of the two may have a tokenizer of its own.
 */
export interface Exchange {
  readonly reader: string;
  readonly writer: string;
  readonly part: string;
  readonly asText: boolean;
}

/** Columns that are no tokens: numbers by row, problems and texts. All others have one value per token. */
const textColumns = [
  'promptId',
  'groupId',
  'sample',
  'weight',
  'pairId',
  'chosen',
  'agreement',
  'label',
  'problem',
  'completion',
  'ended',
  'shown',
  'reply/completion',
  'reply/ended',
];
const isText = (column: string): boolean => textColumns.includes(column) || /^(row|reward)\//.test(column);

/** The models that a role's stages ask for replies: the tokens of `reply/*` are theirs. */
const repliersOf = (stages: readonly Stage[]): string[] =>
  stages
    .filter(({ adds, byText }) => byText && adds.includes('reply/tokens'))
    .flatMap(({ needs }) => needs.flatMap((need) => modelIn(need) ?? []));

const modelIn = (need: string): string | undefined =>
  need.startsWith('model/') ? need.slice('model/'.length) : undefined;

/**
 * Every exchange between two roles. A model that a role's stage names reads the rows of that role; a role
 * reads the rows of its buffers. A snapshot is the main role's; `initial` is a trained role's own start.
 */
export const exchangesOf = (recipe: Recipe): Exchange[] => {
  const { roles, buffers } = recipe;
  const main = mainOf(recipe);
  return Object.entries(roles).flatMap(([name, { stages, objective }]) => {
    const roleOf = (model: string): string =>
      model in roles ? model : model === 'initial' && objective ? name : main;
    const ofPort = (port: Port, { id: part, byText: asText = false }: Stage): Exchange[] => {
      const model = modelIn(port);
      if (model !== undefined) return [{ reader: roleOf(model), writer: name, part, asText }];
      const [, buffer, ...rest] = port.split('/');
      const { of } = buffers[buffer];
      const column = rest.join('/');
      const isReply = column.startsWith('reply/') && !isText(column);
      return (isReply ? repliersOf(roles[of].stages) : [of]).map((writer) => ({
        reader: name,
        writer,
        part,
        asText: isText(column),
      }));
    };
    // replies that become rows of the role itself
    const adopted = stages
      .filter(({ needs, adds }) => needs.includes('reply/tokens') && adds.includes('tokens'))
      .flatMap(({ id: part }) =>
        repliersOf(stages).map((model) => ({ reader: name, writer: roleOf(model), part, asText: false })),
      );
    const read = [
      ...adopted,
      ...stages.flatMap((stage) => stage.needs.filter(isPort).flatMap((port) => ofPort(port, stage))),
      ...modelsRead(objective).map((model) => ({
        reader: roleOf(model),
        writer: name,
        part: objective?.id ?? '',
        asText: false,
      })),
    ];
    return read.filter(({ reader, writer }) => writer !== reader);
  });
};
