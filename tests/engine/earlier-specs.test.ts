import { describe, expect, test } from 'vitest';
import { checkSpec, methods } from '../../engine/index.ts';
import { fromVersion1, renamed } from '../../engine/schema/run-spec-1.ts';
import { RunSpec } from '../../engine/schema/run-spec.ts';

const paramsOf = (id: string) =>
  Object.keys((methods.find((method) => method.id === id)?.params as { properties: object }).properties);
const specOf = (id: string, params: object, more: object = {}) => ({
  method: { id, params },
  models: { policy: { kind: 'checkpoint', checkpointId: 'c' } },
  task: { kind: 'world', id: 'toy/pairs' },
  ...more,
});
const refusal = (spec: unknown) => {
  try {
    checkSpec(spec);
  } catch (error) {
    return error;
  }
  return undefined;
};

describe('a specification of version 1', () => {
  test.each(renamed.flatMap(({ from, to, methods: ids }) => ids.map((id) => [id, from, to] as const)))(
    'of %s may use %s instead of %s',
    (id, from, to) => {
      expect(paramsOf(id)).toContain(to);
      expect(paramsOf(id)).not.toContain(from);
      const { [to]: value } = checkSpec(specOf(id, {})).method.params;
      for (const more of [{ version: 1 }, {}]) {
        const spec = checkSpec(specOf(id, { [from]: value }, more));
        expect(spec).toEqual(checkSpec(specOf(id, { [to]: value })));
        expect(spec.version).toBe(2);
      }
      expect(refusal(specOf(id, { [from]: value }, { version: 2 }))).toMatchObject({
        where: `method.params.${from}`,
      });
      expect(refusal(specOf(id, { [from]: value, [to]: value }))).toMatchObject({
        where: `method.params.${from}`,
      });
    },
  );

  test('keeps the chosen values, and an unknown parameter is rejected under its own name', () => {
    const { method } = checkSpec(specOf('grpo', { size: 4, sd: 'none', passes: 3, clip: 0.1 }));
    expect(method.params).toMatchObject({ groupSize: 4, scaleBy: 'none', epochs: 3, clip: 0.1 });
    expect(refusal(specOf('grpo', { sizes: 4 }))).toMatchObject({ where: 'method.params.sizes' });
    expect(refusal(specOf('sft', { size: 4 }))).toMatchObject({ where: 'method.params.size' });
    expect(refusal(specOf('grpo', {}, { version: 3 }))).toMatchObject({ where: 'version' });
  });

  test('is the only thing converted: other values are returned unchanged', () => {
    for (const spec of [null, 'x', 5, [1], { version: 2, method: { id: 'grpo', params: { size: 4 } } }])
      expect(fromVersion1(spec)).toBe(spec);
    expect(RunSpec.safeParse(null).success).toBe(false);
  });
});

describe('a parameter that a method no longer has', () => {
  const stored = { clip: 0.2, lambda: 0.95, bonus: 0.3, good: 0.1 };
  const satori = (params: object) => specOf('satori', params, { version: 2 });

  test('is read from a stored specification as what became of it', () => {
    const { params } = checkSpec(satori(stored)).method;
    expect(params).toMatchObject({ bonus: 0.3, damage: 0.3, good: 0.1 });
    expect(params).not.toHaveProperty('clip');
    expect(params).not.toHaveProperty('lambda');
    expect(RunSpec.parse(satori(stored)).method.params).toEqual({ bonus: 0.3, damage: 0.3, good: 0.1 });
    expect(checkSpec(satori({ bonus: 0.3 })).method.params).toMatchObject({ bonus: 0.3, damage: 0.5 });
  });
  test('is refused where its value can no longer be honoured', () => {
    expect(refusal(satori({ ...stored, clip: 0.1 }))).toMatchObject({ where: 'method.params.clip' });
    expect(refusal(satori({ lambda: 0.5 }))).toMatchObject({ where: 'method.params.lambda' });
  });
});
