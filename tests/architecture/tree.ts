/**
 * What must not be in a tracked file: a place on one person's disk, a registry's host, a name of a private
 * network.
 */
const absolutePath = /(?<![\w.:/}\])~-])\/(?:home|root|Users|work|mnt|srv)\/[\w.-]+|\b[A-Z]:\\Users\\/;
const registryHost = /\b(?:registry\.[\w-]+\.[a-z]{2,}|npm\.pkg\.[\w.-]+|[\w-]+\.jfrog\.io)/i;

/** Sentences about one text file that names a place or a host that exists on one machine only. */
export function personal(path: string, text: string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const found = absolutePath.exec(line)?.[0] ?? registryHost.exec(line)?.[0];
    return found ? [`${path}:${index + 1}: ${found}`] : [];
  });
}

/**
 * Packages of a lock file that name where they were fetched from, so that another registry could not be used.
 */
export function resolvedIn(lockfile: string): string[] {
  const { packages } = JSON.parse(lockfile) as {
    packages: { readonly [path: string]: { readonly resolved?: string; readonly link?: boolean } };
  };
  return Object.entries(packages)
    .filter(([, p]) => p.resolved !== undefined && !p.link)
    .map(([path]) => path);
}
