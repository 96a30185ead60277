import { buildStale } from '../../main/checkout/build.ts';

/** Bundles main where it is older than its sources: tests run the command line and the engine from there. */
export default (): Promise<void> => buildStale(['main']);
