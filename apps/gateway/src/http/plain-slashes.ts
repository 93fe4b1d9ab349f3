import { endsInSubPath } from '@esd/record/metadata/dataset-path';

const DATASET = /^(?:\/api)?\/public\/dataset\//;

/**
 * The URL of something of a version with plain slashes, so that it is found under a DOI in whatever spelling; every other URL
 * stays as it is.
 */
export function withPlainSlashes(url: string): string {
  if (!url.includes('%2')) return url;
  const [path = ''] = url.split('?', 1);
  if (!DATASET.test(path)) return url;
  const plain = path.replaceAll(/%2f/gi, '/');
  return endsInSubPath(plain) ? plain + url.slice(path.length) : url;
}
