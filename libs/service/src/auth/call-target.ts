/** Returns the target and the method of a gRPC path such as `/esd.media.v1.ImageService/ClaimImages`. */
export function rpcTargetOf(path: string): { target: string; method: string } {
  const [, target = '', method = ''] = path.split('/');
  return { target, method };
}

/** Returns the target of a path of an internal HTTP port: `http:/images` for `/images/1/content`. Ignores a query. */
export function httpTargetOf(path: string): string {
  return `http:/${/^\/([^/?]*)/.exec(path)?.[1] ?? ''}`;
}
