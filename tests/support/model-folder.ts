import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createAdapter } from '../../engine/models/adapters/lora.ts';
import { toPeft } from '../../engine/models/adapters/peft.ts';
import { readModelFolder } from '../../engine/models/folder.ts';
import { storedTensors } from '../../engine/models/model.ts';
import type { FloatType } from '../../engine/models/weights/dtypes.ts';
import { encodeSafetensors } from '../../engine/models/weights/safetensors.ts';
import { familyOracle, formulaModelOf } from './families.ts';

/**
 * A folder in the format of other tools: a small model of some architecture, with one of the small
 * tokenizers. `settings` change its configuration.
 */
export const writeModelFolder = (
  folder: string,
  {
    model = 'llama tied',
    tokenizer = 'qwen2',
    settings = {},
    dtype = 'F32',
  }: {
    readonly model?: string;
    readonly tokenizer?: string;
    readonly settings?: object;
    readonly dtype?: FloatType;
  } = {},
): string => {
  const { config } = [...familyOracle.cases, ...familyOracle.rewards].find(({ name }) => name === model)!;
  const json = { ...config, ...settings };
  mkdirSync(folder, { recursive: true });
  cpSync(fileURLToPath(new URL(`oracles/tokenizers/${tokenizer}/`, import.meta.url)), folder, {
    recursive: true,
  });
  writeFileSync(join(folder, 'config.json'), JSON.stringify(json));
  const tensors = Object.entries(storedTensors(formulaModelOf(json))).map(
    ([name, tensor]) => [name, { ...tensor, dtype }] as const,
  );
  writeFileSync(join(folder, 'model.safetensors'), encodeSafetensors(Object.fromEntries(tensors)));
  return folder;
};

/**
 * An adapter's folder as written by PEFT for the model of `base`, which it calls `named`: no tokenizer, and
 * no location of the base except its name.
 */
export const writeAdapterFolder = async (
  folder: string,
  { base, named, seed = 1 }: { readonly base: string; readonly named: string; readonly seed?: number },
): Promise<string> => {
  const model = await readModelFolder(base);
  const adapter = createAdapter(
    model,
    { rank: 2, alpha: 4, rsLora: false, base: 'float32', targets: ['q_proj', 'v_proj'] },
    { seed, base: { path: base, hash: null } },
  );
  adapter.parameters.flat.forEach((_x, at, flat) => {
    flat[at] = Math.sin(at + seed) / 4;
  });
  const { config, tensors } = toPeft({ config: model.config, adapter }, folder);
  mkdirSync(folder, { recursive: true });
  writeFileSync(
    join(folder, 'adapter_config.json'),
    JSON.stringify({ ...config, base_model_name_or_path: named }),
  );
  writeFileSync(join(folder, 'adapter_model.safetensors'), encodeSafetensors(tensors));
  return folder;
};
