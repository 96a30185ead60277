/**
 * Each of these is a mistake; the file compiles only if every one of them is an error. `must-not-
 * compile.test.ts` runs the compiler on it.
 */
import * as z from 'zod';
import type { RewardStack } from '../../../engine/rl/kernel/reward-stack.ts';
import { defineMethod } from '../../../engine/rl/methods/define-method.ts';
import type { Tasks } from '../../../engine/rl/tasks/kinds/index.ts';
import { objective } from '../../../engine/rl/kernel/objective.ts';
import * as part from '../../../engine/rl/parts/index.ts';
import { coTrain, frozen, role, rowsOf, train } from '../../../engine/rl/kernel/recipe.ts';
import { pipe, stage, when } from '../../../engine/rl/kernel/stage.ts';
import { scalar } from '../../../engine/tensor/index.ts';

declare const task: Tasks['verifiable'];
declare const demonstrations: Tasks['demonstrations'];
declare const style: RewardStack<'style'>;
const groups = part.sampleGroups({ groupSize: 8 });
const centered = part.centerByGroup({ scaleBy: 'sample' });
const surrogate = part.clippedSurrogate({ clipLow: 0.2, clipHigh: 0.2 });
const sampled = pipe(task.prompts, groups, part.score(task.reward), centered);
const solver = role({ rows: sampled, objective: surrogate });
const schedule = [{ turns: { solver: 1 } }];

// A column that no stage adds.
// @ts-expect-error NoEarlierStageAdds<'reward/total'>
pipe(task.prompts, groups, centered);

// The right stages in the wrong order.
// @ts-expect-error NoEarlierStageAdds<'reward/total'>
pipe(task.prompts, groups, centered, part.score(task.reward));

// No source.
// @ts-expect-error NoEarlierStageAdds<'promptId' | 'prompt'>
pipe(groups);

// A reward with a different name from the one that credit reads.
// @ts-expect-error NoEarlierStageAdds<'reward/total'>
pipe(task.prompts, groups, part.score(style), centered);

// An objective that reads a column that no stage adds.
// @ts-expect-error NoStageAdds<'logp/initial'>
train({ rows: sampled, objective: part.klToReference({ estimator: 'k3' }) });

// An objective over pairs on rows that are not pairs.
// @ts-expect-error NoStageAdds<'pairId' | 'chosen' | 'agreement'>
train({ rows: sampled, objective: part.bradleyTerry });

// Sampling from demonstrations, which provide no prompts.
// @ts-expect-error NoEarlierStageAdds<'problem' | 'prompt'>
pipe(demonstrations.demonstrations, groups);

// A stage of one role that reads another role's model.
train({
  // @ts-expect-error 'model/teacher' is not a snapshot of this role
  rows: pipe(task.prompts, part.sampleGroups({ groupSize: 1 }), part.logpUnder('teacher')),
  objective: part.entropyBonus,
});

// An undeclared (misspelt) buffer.
const student = role({
  rows: pipe(part.rowsFrom('rollout', ['tokens', 'mask', 'weight'])),
  objective: part.entropyBonus,
});
// @ts-expect-error NotDeclared<'buffer/rollout/tokens' | 'buffer/rollout/mask' | 'buffer/rollout/weight'>
coTrain({ buffers: { rollouts: rowsOf('solver') }, roles: { solver, student }, schedule });

// A column that the buffer's rows do not include.
const referring = role({
  rows: pipe(part.rowsFrom('rollouts', ['tokens', 'mask', 'weight', 'logp/initial'])),
  objective: part.entropyBonus,
});
// @ts-expect-error NotDeclared<'buffer/rollouts/logp/initial'>
coTrain({ buffers: { rollouts: rowsOf('solver') }, roles: { solver, referring }, schedule });

// A buffer of a role that does not exist; a turn for such a role.
// @ts-expect-error 'sovler'
coTrain({ buffers: { rollouts: rowsOf('sovler') }, roles: { solver }, schedule });
// @ts-expect-error 'sovler'
coTrain({ buffers: {}, roles: { solver }, schedule: [{ turns: { sovler: 1 } }] });

// An undeclared role.
const judged = role({
  rows: pipe(task.prompts, groups, part.logpUnder('teacher')),
  objective: part.entropyBonus,
});
// @ts-expect-error NotDeclared<'model/teacher'>
coTrain({ buffers: {}, roles: { judged }, schedule: [{ turns: { judged: 1 } }] });
// the same, declared: this one is valid
coTrain({ buffers: {}, roles: { judged, teacher: frozen() }, schedule: [{ turns: { judged: 1 } }] });

// A column outside the table and its families.
stage({
  id: 'x',
  station: 'credit',
  needs: ['tokens'],
  // @ts-expect-error 'advantages'
  adds: ['advantages'],
  run: async () => ({ columns: {} as never }),
});

// A body that reads an undeclared column; a body that omits a declared one.
stage({
  id: 'x',
  station: 'credit',
  needs: ['tokens'],
  adds: [],
  // @ts-expect-error 'advantage'
  run: async ({ advantage }) => ({ columns: { advantage } }),
});
stage({
  id: 'x',
  station: 'credit',
  needs: ['mask'],
  adds: ['advantage'],
  // @ts-expect-error 'advantage' is missing
  run: async () => ({ columns: {} }),
});

// A stage that reads columns without a station; one at a station for losses.
// @ts-expect-error 'station' is missing
stage({ id: 'x', needs: ['mask'], adds: [], run: async () => ({ columns: {} }) });
// @ts-expect-error 'objective'
stage({ id: 'x', station: 'objective', needs: ['mask'], adds: [], run: async () => ({ columns: {} }) });

// A loss that reads an array which `prepare` does not return; a loss over a text column.
objective({
  id: 'x',
  needs: ['tokens'],
  prepare: () => ({ w: new Float64Array(1) }),
  // @ts-expect-error 'v'
  loss: ({ w, v }) => ({ loss: scalar(0), metrics: { w, v } }),
});
objective({
  id: 'x',
  needs: ['completion'],
  prepare: () => ({}),
  // @ts-expect-error 'completion' is for the host only
  loss: ({ completion }) => ({ loss: completion }),
});

// An option on a stage that adds columns: whether they exist would depend on a value.
// @ts-expect-error 'advantage'
when(true, centered);

defineMethod({
  id: 'x',
  title: 'X',
  summary: '',
  cites: '',
  task: 'preferences',
  produces: 'policy',
  suggested: {},
  params: z.strictObject({ beta: z.number().default(0.1) }),
  // @ts-expect-error 'bata' is not a parameter
  presets: { half: { bata: 0.05 } },
  // @ts-expect-error a preference task has no prompts
  recipe: (p, { prompts }) => train({ rows: pipe(prompts), objective: part.entropyBonus }),
});
