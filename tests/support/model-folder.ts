import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { storedTensors } from '../../engine/models/model.ts';
import type { FloatType } from '../../engine/models/weights/dtypes.ts';
import { encodeSafetensors } from '../../engine/models/weights/safetensors.ts';
import { familyOracle, formulaModelOf } from './families.ts';

/** A folder as other tools write one: a small model of some architecture, with one of the small tokenizers. `settings` change its configuration. */
export const writeModelFolder = (folder: string, { model = 'llama tied', tokenizer = 'qwen2', settings = {}, dtype = 'F32' }: {
  readonly model?: string; readonly tokenizer?: string; readonly settings?: object; readonly dtype?: FloatType;
} = {}): string => {
  const { config } = [...familyOracle.cases, ...familyOracle.rewards].find(({ name }) => name === model)!;
  const json = { ...config, ...settings };
  mkdirSync(folder, { recursive: true });
  cpSync(fileURLToPath(new URL(`oracles/tokenizers/${tokenizer}/`, import.meta.url)), folder, { recursive: true });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(json));
  const tensors = Object.entries(storedTensors(formulaModelOf(json))).map(([name, tensor]) => [name, { ...tensor, dtype }] as const);
  writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors(Object.fromEntries(tensors)));
  return folder;
};
