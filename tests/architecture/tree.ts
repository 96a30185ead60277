/**
 * Patterns that no tracked file may contain: an absolute path of one machine, a registry host, a host of a
 * private network.
 */
const absolutePath = /(?<![\w.:/}\])~-])\/(?:home|root|Users|work|mnt|srv)\/[\w.-]+|\b[A-Z]:\\Users\\/;
const registryHost = /\b(?:registry\.[\w-]+\.[a-z]{2,}|npm\.pkg\.[\w.-]+|[\w-]+\.jfrog\.io)/i;

/** One message for each machine-specific path or host in a text file. */
export function personal(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = absolutePath.exec(line)?.[0] ?? registryHost.exec(line)?.[0];
    return found ? [`${path}:${index + 1}: ${found}`] : [];
  });
}

/** Packages of a lock file with a resolved address, which would prevent the use of another registry. */
export function resolvedIn(lockfile: string): string[] {
  const { packages } = JSON.parse(lockfile) as {
    packages: { readonly [path: string]: { readonly resolved?: string; readonly link?: boolean } };
  };
  return Object.entries(packages)
    .filter(([, p]) => p.resolved !== undefined && !p.link)
    .map(([path]) => path);
}
