import { dirname, relative } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { plant, ruleNames, violations } from './planted.ts';

/** One forbidden import for each rule: importer and imported path. */
const forbidden: { readonly [rule: string]: readonly [from: string, to: string] } = {
  'zone engine/common': ['engine/common/a.ts', 'engine/schema/target.ts'],
  'zone engine/schema': ['engine/schema/a.ts', 'engine/data/target.ts'],
  'zone engine/tensor': ['engine/tensor/a.ts', 'engine/onnx/target.ts'],
  'zone engine/watchdog': ['engine/watchdog/a.ts', 'engine/schema/target.ts'],
  'zone engine/pace': ['engine/pace/a.ts', 'engine/runtime/target.ts'],
  'zone engine/onnx': ['engine/onnx/a.ts', 'engine/runtime/target.ts'],
  'zone engine/runtime': ['engine/runtime/a.ts', 'engine/models/target.ts'],
  'zone engine/optim': ['engine/optim/a.ts', 'engine/runtime/target.ts'],
  'zone engine/text': ['engine/text/a.ts', 'engine/tensor/target.ts'],
  'zone engine/data': ['engine/data/a.ts', 'engine/models/target.ts'],
  'zone engine/sandbox': ['engine/sandbox/a.ts', 'engine/worlds/target.ts'],
  'zone engine/worlds': ['engine/worlds/a.ts', 'engine/rewards/target.ts'],
  'zone engine/control': ['engine/control/a.ts', 'engine/worlds/target.ts'],
  'zone engine/tabular': ['engine/tabular/a.ts', 'engine/rewards/target.ts'],
  'zone engine/models': ['engine/models/a.ts', 'engine/runtime/target.ts'],
  'zone engine/rewards': ['engine/rewards/a.ts', 'engine/rl/kernel/target.ts'],
  'zone engine/random': ['engine/random/a.ts', 'engine/data/target.ts'],
  'zone engine/answers': ['engine/answers/a.ts', 'engine/worlds/target.ts'],
  'zone engine/rl/kernel': ['engine/rl/kernel/a.ts', 'engine/runtime/target.ts'],
  'zone engine/rl/tasks': ['engine/rl/tasks/a.ts', 'engine/runtime/target.ts'],
  'zone engine/rl/compute': ['engine/rl/compute/a.ts', 'engine/rl/tasks/target.ts'],
  'zone engine/rl/parts': ['engine/rl/parts/a.ts', 'engine/runtime/target.ts'],
  'zone engine/rl/methods': ['engine/rl/methods/a.ts', 'engine/tensor/target.ts'],
  'zone engine/rl/controllers': ['engine/rl/controllers/a.ts', 'engine/runtime/target.ts'],
  'zone engine/rl/evaluation': ['engine/rl/evaluation/a.ts', 'engine/rl/run/target.ts'],
  'zone engine/rl/search': ['engine/rl/search/a.ts', 'engine/rl/run/target.ts'],
  'zone engine/rl/run': ['engine/rl/run/a.ts', 'engine/rl/tools/target.ts'],
  'zone engine/rl/tools': ['engine/rl/tools/a.ts', 'main/target.ts'],
  'zone engine/rl/proof': ['engine/rl/proof/a.ts', 'engine/rl/tools/target.ts'],
  'zone engine/evaluate': ['engine/evaluate/a.ts', 'engine/runtime/target.ts'],
  'zone engine/experiments': ['engine/experiments/a.ts', 'engine/rl/run/target.ts'],
  'zone engine/plans': ['engine/plans/a.ts', 'engine/rl/run/target.ts'],
  'zone engine/regression': ['engine/regression/a.ts', 'engine/evaluate/target.ts'],
  'zone engine/probes': ['engine/probes/a.ts', 'engine/models/target.ts'],
  'zone engine/suites': ['engine/suites/a.ts', 'engine/models/target.ts'],
  'zone engine/systems': ['engine/systems/a.ts', 'engine/rl/run/target.ts'],
  'zone engine/run-doctor': ['engine/run-doctor/a.ts', 'engine/runtime/target.ts'],
  'zone engine/labeling': ['engine/labeling/a.ts', 'engine/models/target.ts'],
  'zone engine': ['engine/other.ts', 'main/target.ts'],
  'zone engine/process': ['engine/process/a.ts', 'main/target.ts'],
  'zone main/logs': ['main/logs/a.ts', 'main/ipc/target.ts'],
  'zone main/store': ['main/store/a.ts', 'main/services/target.ts'],
  'zone main/engine-host': ['main/engine-host/a.ts', 'main/services/target.ts'],
  'zone main/judging': ['main/judging/a.ts', 'main/services/target.ts'],
  'zone main/services': ['main/services/a.ts', 'main/use-cases/target.ts'],
  'zone main/import': ['main/import/a.ts', 'main/ipc/target.ts'],
  'zone main/export': ['main/export/a.ts', 'main/ipc/target.ts'],
  'zone main/report': ['main/report/a.ts', 'main/store/target.ts'],
  'zone main/use-cases': ['main/use-cases/a.ts', 'main/ipc/target.ts'],
  'zone main/plans': ['main/plans/a.ts', 'main/ipc/target.ts'],
  'zone main/ipc': ['main/ipc/a.ts', 'main/headless/target.ts'],
  'zone main/headless': ['main/headless/a.ts', 'main/desktop/target.ts'],
  'zone main/desktop': ['main/desktop/a.ts', 'main/commands/target.ts'],
  'zone main/demo': ['main/demo/a.ts', 'main/study/target.ts'],
  'zone main/study': ['main/study/a.ts', 'main/commands/target.ts'],
  'zone main/commands': ['main/commands/a.ts', 'main/desktop/target.ts'],
  'zone main/checkout': ['main/checkout/a.ts', 'main/commands/target.ts'],
  'zone main': ['main/a.ts', 'engine/rl/kernel/target.ts'],
  'zone preload': ['preload/a.ts', 'main/target.ts'],
  'zone preload/wire': ['preload/wire/a.ts', 'engine/tensor/target.ts'],
  'zone preload/contract': ['preload/contract/a.ts', 'main/target.ts'],
  'zone renderer/lib': ['renderer/lib/a.ts', 'renderer/widgets/Target.svelte'],
  'zone renderer/widgets': ['renderer/widgets/A.svelte', 'renderer/charts/Target.svelte'],
  'zone renderer/charts': ['renderer/charts/A.svelte', 'renderer/features/runs/Target.svelte'],
  'zone renderer/features': ['renderer/features/runs/A.svelte', 'renderer/views/Target.svelte'],
  'zone renderer/views': ['renderer/views/a.svelte.ts', 'main/target.ts'],
  'zone renderer': ['renderer/main.ts', 'preload/index.ts'],
  'a feature stands alone': ['renderer/features/rewards/A.svelte', 'renderer/features/runs/Target.svelte'],
  'only runtime loads ONNX Runtime': ['engine/models/b.ts', 'onnxruntime-node'],
  'index never reaches the runtime': ['engine/index.ts', 'engine/hop.ts'],
  'the engine process is spawned, never imported': ['engine/third.ts', 'engine/process/target.ts'],
  'the sandbox process is spawned, never imported': [
    'engine/worlds/b.ts',
    'engine/sandbox/process/target.ts',
  ],
  'electron stays in the shell': ['main/b.ts', 'electron'],
  'SQLite stays in the store': ['main/c.ts', 'better-sqlite3'],
  'what pages load has no Node in it': ['preload/contract/b.ts', 'node:fs'],
  'what ships needs no development package': ['engine/text/b.ts', 'vitest'],
  'pages load no schema': ['renderer/lib/b.ts', 'engine/schema/target.ts'],
  'what pages load of the contract is no schema': ['engine/common/b.ts', 'zod'],
  'no cycles': ['engine/optim/b.ts', 'engine/optim/c.ts'],
  'no cycles between folders': ['engine/models/blocks/d.ts', 'engine/models/families/e.ts'],
  'every import resolves': ['engine/optim/d.ts', './absent.ts'],
};
/** Other files that the planted imports need. */
const surroundings = {
  'engine/hop.ts': `import './runtime/target.ts';`,
  'engine/optim/c.ts': `import './b.ts';`,
  'engine/models/families/e.ts': 'export {};',
  'engine/models/families/f.ts': `import '../blocks/d.ts';`,
};
/** Allowed imports: none may be reported. */
const allowed: readonly (readonly [from: string, to: string])[] = [
  ['engine/rl/methods/fine.ts', 'engine/rl/parts/target.ts'],
  ['engine/rl/parts/fine.ts', 'engine/tensor/target.ts'],
  ['engine/runtime/fine.ts', 'onnxruntime-node'],
  ['main/services/fine.ts', 'engine/schema/target.ts'],
  ['main/desktop/app.ts', 'electron'],
  ['main/store/fine.ts', 'better-sqlite3'],
  ['renderer/views/Fine.svelte', 'renderer/features/runs/Target.svelte'],
  ['renderer/lib/fine.ts', 'preload/wire/wire.ts'],
];

const isFile = (to: string) => to.includes('/') && !to.startsWith('.') && /\.(ts|svelte)$/.test(to);
const statement = ([from, to]: readonly [string, string]) => {
  const specifier = isFile(to) ? relative(dirname(from), to).replace(/^(?!\.)/, './') : to;
  const line = `import '${specifier}';`;
  return from.endsWith('.svelte') ? `<script lang="ts">${line}</script>` : line;
};

describe('the boundary rules', () => {
  const pairs = [...Object.values(forbidden), ...allowed];
  const targets = Object.fromEntries(
    pairs
      .filter(([, to]) => isFile(to))
      .map(([, to]) => [to, to.endsWith('.svelte') ? '<p>target</p>' : 'export {};']),
  );
  const { folder, remove } = plant({
    ...targets,
    ...surroundings,
    ...Object.fromEntries(pairs.map((pair) => [pair[0], statement(pair)])),
  });
  let found: Awaited<ReturnType<typeof violations>>;
  beforeAll(async () => {
    found = await violations(folder, ['engine', 'main', 'preload', 'renderer']);
  });
  afterAll(remove);

  it('each have a planted violation', () => {
    expect(Object.keys(forbidden).sort()).toEqual([...ruleNames].sort());
  });
  it.each(Object.entries(forbidden))('%s reports its planted violation', (rule, [from]) => {
    expect(found.filter((v) => v.from === from || v.from === dirname(from)).map((v) => v.rule)).toContain(
      rule,
    );
  });
  it.each(allowed)('%s may import %s', (from) => {
    expect(found.filter((v) => v.from === from)).toEqual([]);
  });
});
