/**
 * Address of the entry of a thread or process: relative to the file `here` in the sources, or beside the
 * bundle that the file is a part of. The watchdog and the sandbox do this themselves, since a confined process
 * may read few files.
 */
export const entryOf = (here: string, source: string, bundled: string): URL =>
  new URL(here.endsWith('.ts') ? source : bundled, here);
