import { serveLoopback } from '../headless/server.ts';
import { handlersOf } from '../ipc/index.ts';
import { pageFolder, plainServices } from '../headless/open.ts';
import { number, onInterrupt, workspaceOption, type Command } from './command.ts';

export const serveCommand: Command = {
  name: 'serve',
  usage: '[--workspace DIR] [--port N]',
  summary: 'Serve the workbench on 127.0.0.1 until Ctrl+C; the printed URL includes the access key.',
  example: '--workspace my-work --port 8080',
  positionals: { least: 0, most: 0 },
  options: { ...workspaceOption, port: { type: 'string' } },
  async run({ values, json, log }) {
    const port = number(values, 'port', { fallback: 0, least: 0, most: 65_535, whole: true });
    await buildPage(log);
    const services = plainServices();
    try {
      if (typeof values.workspace === 'string') await services.openOrCreateWorkspace(values.workspace);
      const loopback = await serveLoopback({
        handlers: handlersOf(services),
        pageFolder: pageFolder(),
        port,
      });
      // print the address now, not when the command ends
      process.stdout.write(
        `${json ? JSON.stringify({ url: loopback.url, port: loopback.port }) : loopback.url}\n`,
      );
      await new Promise<void>((resolve) => onInterrupt(resolve));
      log('Closing.');
      await loopback.close();
      return { value: { url: loopback.url, port: loopback.port, closed: true }, text: '' };
    } finally {
      await services.close();
    }
  },
};

/**
 * Builds the page if it is missing or older than its sources. Without the build tools, and from the bundle,
 * serves the existing build.
 */
async function buildPage(log: (text: string) => void): Promise<void> {
  if (!import.meta.url.endsWith('.ts')) return;
  try {
    const { buildStale } = await import('../checkout/build.ts');
    await buildStale(['renderer'], log);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' || !/'(vite|esbuild)'/.test(message)) throw error;
    log(
      'The tools that build the page are not installed (npm ci installs them); the existing build is served.',
    );
  }
}
