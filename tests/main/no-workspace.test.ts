/**
 * Before a workspace is open there is no store: the page must come up all the same, and say what is missing.
 */
import { afterAll, expect, test } from 'vitest';
import { plainServices } from '../../main/headless/open.ts';
import { handlersOf } from '../../main/ipc/index.ts';

const services = plainServices();
afterAll(() => services.close());

test('every handler is made before a workspace is open, and asks for one when it is called', async () => {
  const handlers = handlersOf(services);
  const missing = { kind: 'conflict', message: 'No workspace is open.' };
  const asked = async (call: () => unknown) => await call();
  await expect(asked(() => handlers.verdicts.ofRun({ runId: 'r' }))).rejects.toMatchObject(missing);
  await expect(asked(() => handlers.startStates.ofRun({ runId: 'r' }))).rejects.toMatchObject(missing);
  await expect(asked(() => handlers.behaviours.open({ runId: 'r' }))).rejects.toMatchObject(missing);
  await expect(asked(() => handlers.redTeam.of({ runId: 'r', above: 0 }))).rejects.toMatchObject(missing);
});
