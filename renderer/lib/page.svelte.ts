/** What the view in front says about itself: the last crumb, and its own keys for the help. */
class Page {
  title = $state('');
  keys = $state.raw<readonly (readonly [string, string])[]>([]);
}
export const page = new Page();
