/** Returns the targets of a `Link` header by relation. They are absolute URLs, because some clients follow no others. */
export function linkTargets(header: string | null): Map<string, string> {
  const targets = new Map<string, string>();
  for (const [, target = '', relation = ''] of (header ?? '').matchAll(/<([^>]*)>\s*;\s*rel="([a-z]+)"(?:,|$)/g)) {
    targets.set(relation, new URL(target).href);
  }
  return targets;
}
