/** Minimum length that must be a token: 1 and 2 px are hairlines. */
const LEAST = 3;
const spacing = /(?:^|[\s;{])((?:padding|margin|(?:row-|column-)?gap)(?:-[a-z]+)*)\s*:\s*([^;{}]+)/g;
const pixels = /(?<![\w.])(\d+(?:\.\d+)?)px/g;

/**
 * The styles of a component or a style sheet, padded with empty lines so that line numbers match the file.
 */
const stylesOf = (path: string, text: string): string => {
  if (!path.endsWith('.svelte')) return text;
  const from = text.indexOf('<style');
  return from < 0 ? '' : text.slice(0, from).replace(/[^\n]/g, '') + text.slice(from);
};

/** One message for each spacing in pixels instead of a token of `renderer/styles/tokens.css`. */
export function literalSpacing(path: string, text: string): string[] {
  const styles = stylesOf(path, text);
  return [...styles.matchAll(spacing)].flatMap(({ index, 1: property, 2: value }) => {
    const line = styles.slice(0, index + 1).split('\n').length;
    return [...value.matchAll(pixels)]
      .filter(([, size]) => Number(size) >= LEAST)
      .map(([size]) => `${path}:${line}: ${property} of ${size}; take one of --space-1 to --space-6`);
  });
}

/** One message for each rule of a component that restyles section titles. */
export const ownTitles = (path: string, text: string): string[] =>
  path.endsWith('.svelte')
    ? stylesOf(path, text)
        .split('\n')
        .flatMap((line, at) =>
          /(?:^|[\s,>+~])h2[\s,{:.]/.test(line) && /[{,]\s*$/.test(line)
            ? [`${path}:${at + 1}: styles h2; take .section-title`]
            : [],
        )
    : [];
