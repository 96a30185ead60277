import { connection } from '../../main/ipc/serve.ts';
import type { Workbench } from '../../main/services/workbench.ts';
import type { WhetstoneClient } from '../../preload/contract/index.ts';
import { Connection } from '../../renderer/lib/client.ts';

/** The page's own client on services in this process, with the contract's checks between them. */
export function clientOf(api: Workbench['api']): WhetstoneClient {
  const page = new Connection({
    send: (frame) => line.receive(frame),
    start({ state, frame }) {
      line = connection(api, frame);
      state('open');
      return () => line.close();
    },
  });
  let line: ReturnType<typeof connection>;
  page.start();
  return page.client;
}
