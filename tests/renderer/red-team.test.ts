import { describe, expect, it, vi } from 'vitest';
import { WhetstoneError } from '../../engine/common/errors.ts';
import { checkSpec, planNodes } from '../../engine/index.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';
import type { RedTeamMap } from '../../preload/contract/red-team.ts';
import { drawingOrder, mapRows, mapTitle, placesIn, wholeOf } from '../../renderer/features/red-team/map.ts';
import { HandOver } from '../../renderer/features/red-team/hand-over.svelte.ts';
import { patchFault, patchPlan } from '../../renderer/features/red-team/patch-plan.ts';
import { RedTeamState } from '../../renderer/features/red-team/red-team.svelte.ts';

const map: RedTeamMap = {
  attacks: 3,
  different: 2,
  x: Float64Array.of(-1, 2),
  y: Float64Array.of(0, 0.5),
  harm: Float64Array.of(0.25, Number.NaN),
  explained: [0.5, 0.25],
  points: [
    { id: 'later', query: 3, attack: 'ab', reply: '+', family: 'family 0' },
    { id: 'earlier', query: 1, attack: '', reply: '-', family: null },
  ],
};

describe('the map of attacks', () => {
  it('has a line for each point, and says how many are drawn', () => {
    expect(mapRows(map, true)).toEqual([
      ['3', '-1', '0', '0.25', 'ab', '+', 'family 0'],
      ['1', '2', '0.5', '', '', '-', 'harmless'],
    ]);
    expect(mapRows(map, false)[0]).toHaveLength(6);
    expect(mapTitle(map)).toBe('Map of 2 different attacks');
    expect(mapTitle({ ...map, different: 2400 })).toBe('Map of the newest 2 of 2,400 different attacks');
  });

  it('fits all points, draws the harmful ones last, and counts those of a part', () => {
    expect(wholeOf(map)).toEqual({ x: [-1, 2], y: [0, 0.5] });
    expect(wholeOf({ x: new Float64Array(), y: new Float64Array() })).toEqual({ x: [0, 0], y: [0, 0] });
    expect(placesIn(map, { x: [-2, 0], y: [-1, 1] })).toBe(1);
    expect(drawingOrder({ harm: Float64Array.of(0.5, Number.NaN, 1, 0) })).toEqual([1, 3, 0, 2]);
    expect(placesIn(map, { x: [3, 4], y: [-1, 1] })).toBe(0);
  });
});

type Client = ConstructorParameters<typeof RedTeamState>[1];

/** The calls of a page that shows a run with so many attacks; the map is read when there are `later` more. */
function served(attacks: () => number, later = 0) {
  const asked: Parameters<Client['redTeam']['attacks']>[0][] = [];
  let maps = 0;
  const redTeam = {
    of: () => Promise.resolve({ attacks: attacks(), hasFamilies: false }),
    attacks: (page: (typeof asked)[number]) => {
      asked.push(page);
      const around = page.around ?? null;
      return Promise.resolve({
        total: 120,
        offset: around === null ? page.offset : 100,
        around,
        attacks: [],
      });
    },
    map: () => {
      maps += 1;
      return Promise.resolve({ ...map, attacks: attacks() + later });
    },
  };
  return { asked, maps: () => maps, state: new RedTeamState('run', { redTeam } as unknown as Client) };
}

describe('the red team of a run', () => {
  it('opens an attack of the map on its page, once, among all attacks', async () => {
    const { asked, state } = served(() => 3);
    state.choose({ show: 'failed', search: 'x' });
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    state.open('earlier');
    await vi.waitFor(() => expect(state.arriving).toBe('earlier'));
    expect(asked.at(-1)).toMatchObject({ show: 'all', search: '', distinct: true, around: 'earlier' });
    expect([state.opened, state.offset]).toEqual(['earlier', 100]);
    state.arrived();
    state.page(-1);
    await vi.waitFor(() => expect(asked.at(-1)).toMatchObject({ offset: 50, around: null }));
    expect([state.opened, state.arriving]).toEqual(['earlier', null]);
    state.stop();
  });

  it('reads the map again only for new attacks', async () => {
    let attacks = 3;
    const { asked, maps, state } = served(() => attacks);
    state.ask();
    await vi.waitFor(() => expect(maps()).toBe(1));
    state.setAbove(0.2);
    await vi.waitFor(() => expect(asked).toHaveLength(2));
    await vi.waitFor(() => expect(state.facts).not.toBeNull());
    expect(maps()).toBe(1);
    attacks = 4;
    state.ask();
    await vi.waitFor(() => expect(maps()).toBe(2), { timeout: 6000 });
    state.stop();
  });
});

describe('a map that knows more attacks than the facts', () => {
  it('is not read again until the facts have more', async () => {
    const { maps, state } = served(() => 3, 5);
    vi.useFakeTimers();
    state.ask();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(maps()).toBe(1);
    state.stop();
    vi.useRealTimers();
  });
  it('leaves a family by likeness when another threshold names them anew', async () => {
    const { asked, state } = served(() => 3);
    state.choose({ family: '1: pick the lock' });
    await vi.waitFor(() => expect(state.facts).not.toBeNull());
    state.setAbove(0.2);
    expect(state.shown.family).toBeNull();
    await vi.waitFor(() => expect(asked.at(-1)).toMatchObject({ above: 0.2, family: null }));
    state.stop();
  });
});

describe('the hand-over of attacks to data', () => {
  const dataset = { id: 'd', name: 'saved', rows: 2 };
  const handed = { runId: 'run', above: 0.5, family: null, search: '' };

  it('saves with the typed refusal, and names the dataset by its kind', async () => {
    const asked: unknown[] = [];
    const toDataset = (input: unknown) => {
      asked.push(input);
      return Promise.resolve(dataset);
    };
    const handOver = new HandOver({ redTeam: { toDataset } } as unknown as Client);
    expect(handOver.nameFor('crt')).toBe('refusals after crt');
    handOver.kind = 'preferences';
    expect(handOver.nameFor('crt')).toBe('refusal preferences after crt');
    const saving = handOver.save(handed, 'No.', 'mine');
    expect(handOver.busy).toBe(true);
    await handOver.save(handed, 'No.', 'twice');
    await saving;
    expect(asked).toEqual([{ ...handed, kind: 'preferences', refusal: 'No.', name: 'mine' }]);
    expect([handOver.busy, handOver.saved, handOver.error]).toEqual([false, dataset, null]);
  });

  it('says why nothing was saved', async () => {
    const toDataset = () => Promise.reject(new WhetstoneError('invalid-input', 'No attack succeeds.'));
    const handOver = new HandOver({ redTeam: { toDataset } } as unknown as Client);
    await handOver.save(handed, 'No.', 'mine');
    expect([handOver.error?.message, handOver.saved, handOver.busy]).toEqual([
      'No attack succeeds.',
      null,
      false,
    ]);
  });

  it('suggests the target’s own refusal only where the world knows which attacks are harmful', async () => {
    const facts = { attacks: 0, hasFamilies: true, refusal: '-' };
    const redTeam = {
      of: () => Promise.resolve({ ...facts }),
      attacks: () => Promise.resolve({ attacks: [] }),
    };
    const state = new RedTeamState('run', { redTeam } as unknown as Client);
    expect(state.refusal).toBe('I can’t help with that.');
    state.ask();
    await vi.waitFor(() => expect(state.refusal).toBe('-'));
    state.handOver.refusal = '';
    expect(state.refusal).toBe('');
    state.stop();
  });
});

describe('a patch of the target', () => {
  const parsed = (own: object) =>
    RunSpec.parse({ method: { id: 'crt' }, models: { policy: small, target }, task, ...own });
  const small = {
    kind: 'new',
    architecture: { width: 16, heads: 2 },
    tokenizer: { kind: 'characters' },
  };
  const target = { kind: 'checkpoint', checkpointId: 'theirs' };
  const task = { kind: 'world', id: 'toy/triggers' };
  const ready = { successes: 1, refusal: 'No.' };
  const sizes = { steps: 50, batch: 16, learningRate: 1e-3 };
  const patch = { name: 'r', scorer: 'harm', above: 0.5, refusal: 'No.', ...sizes };

  it('is refused with the reason', () => {
    const fault = (own: object, facts: object = {}, state = 'done') =>
      patchFault({ state, spec: parsed(own) } as never, { ...ready, ...facts });
    expect(fault({})).toBe('');
    expect(fault({ models: { policy: small, target: { kind: 'model', modelId: 'm' } } })).toBe('');
    expect(fault({ models: { policy: small } })).toBe('The run names no target.');
    expect(fault({ models: { policy: small, target: small } })).toMatch(/random weights/);
    expect(fault({ method: { id: 'mart' }, models: { policy: small } })).toBe('');
    expect(fault({ method: { id: 'grpo' } })).toMatch(/of the method grpo/);
    expect(fault({}, {}, 'running')).toBe('Once the run has ended.');
    expect(fault({}, { successes: 0 })).toBe('No attack succeeded.');
    expect(fault({}, { refusal: ' ' })).toBe('Write the refusal first.');
    expect(patchFault({ state: 'done', spec: null } as never, ready)).toMatch(/cannot be read/);
  });

  it('of a target of its own starts from it, with the sizes that were chosen', () => {
    const spec = parsed({ method: { id: 'crt', params: { mark: '#', ending: ':' } } });
    const [attack, learns, again] = patchPlan(spec, patch).nodes;
    expect(attack.spec).toBe(spec);
    expect(learns.spec).toMatchObject({
      models: { policy: target },
      budget: { steps: 50, batch: 16 },
      optimizer: { learningRate: 1e-3 },
      task: { operators: [{ params: { mark: '#', ending: ':', column: 'score harm' } }] },
    });
    expect(again.spec.models).toMatchObject({ policy: small, target: { checkpointId: { node: 'patch' } } });
  });

  it('of a policy that is attacked goes on from the attack, and the attacker begins again as it did', () => {
    const spec = parsed({
      method: { id: 'mart' },
      models: { policy: small },
      task: { ...task, params: { side: 'defend' } },
      rewards: [{ id: 'verifier' }],
    });
    const plan = patchPlan(spec, patch);
    const [, learns, again] = plan.nodes;
    expect(planNodes(plan, checkSpec).nodes.map(({ id }) => id)).toEqual([
      'attack',
      'patch:data',
      'patch',
      'again',
    ]);
    expect(learns.spec.models).toEqual({ policy: { kind: 'checkpoint', checkpointId: { node: 'attack' } } });
    expect(again.spec.models).toMatchObject({
      policy: { checkpointId: { node: 'patch' } },
      attacker: small,
    });
  });
});
