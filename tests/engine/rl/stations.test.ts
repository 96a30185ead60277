import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { verifiable } from '../../../engine/rl/tasks/kinds/verifiable.ts';
import { weighted, sum } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';

const parts = fileURLToPath(new URL('../../../engine/rl/parts/', import.meta.url));

/** Station of the parts in each folder; `math` has none. */
const stations: { readonly [folder: string]: string } = {
  buffers: 'rows',
  context: 'context',
  samplers: 'sampler',
  scorers: 'scorers',
  references: 'reference',
  credit: 'credit',
  selection: 'selection',
  objectives: 'objective',
  regularizers: 'objective',
};

/** The station that each part in a file declares; objectives are always at theirs. */
const stationsIn = (text: string): string[] => {
  const source = ts.createSourceFile('part.ts', text, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node) && ts.isIdentifier(node.expression)) {
      const [facts] = node.arguments;
      if (node.expression.text === 'stage' && ts.isObjectLiteralExpression(facts)) {
        const property = facts.properties.find((p) => p.name?.getText(source) === 'station');
        const value = property && ts.isPropertyAssignment(property) ? property.initializer : undefined;
        found.push(value && ts.isStringLiteral(value) ? value.text : 'start');
      }
      // the stage of every search
      if (node.expression.text === 'searchStage') found.push('sampler');
      if (['objective', 'solved'].includes(node.expression.text)) found.push('objective');
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
};

describe('a part is in the folder of its station', () => {
  const files = globSync('*/*.ts', { cwd: parts });
  test.each(files.map((file) => [file]))('%s', (file) => {
    const folder = dirname(file);
    const found = stationsIn(readFileSync(`${parts}${file}`, 'utf8'));
    expect(found.filter((station) => station !== stations[folder])).toEqual([]);
    expect(found.length > 0).toBe(folder !== 'math');
  });
  test('covers every folder, and detects a part in the wrong one', () => {
    expect(new Set(files.map((file) => dirname(file)))).toEqual(new Set([...Object.keys(stations), 'math']));
    expect(
      stationsIn(
        "const a = stage({ id: 'a', station: 'credit', needs: ['mask'] }); const b = objective({ id: 'b' });",
      ),
    ).toEqual(['credit', 'objective']);
  });
});

test('sources start a recipe, and sums and weighted objectives remain objectives', () => {
  expect(verifiable.stub.prompts.station).toBe('start');
  expect(part.sampleGroups({ groupSize: 2 }).station).toBe('sampler');
  expect(weighted(0.5, sum(part.entropyBonus, part.scoreFunction())).station).toBe('objective');
});
