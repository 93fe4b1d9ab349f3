/** The targets of a `Link` header (RFC 8288) by relation, resolved against the address that was asked. */
export function linkTargets(header: string | null, base: string): Map<string, string> {
  const targets = new Map<string, string>();
  for (const [, target = '', relation = ''] of (header ?? '').matchAll(/<([^>]*)>\s*;\s*rel="([a-z]+)"(?:,|$)/g)) {
    targets.set(relation, new URL(target, base).href);
  }
  return targets;
}
