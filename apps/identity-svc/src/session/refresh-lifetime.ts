/** How long refresh tokens are valid. */
export interface RefreshLifetime {
  usualMs: number;
  /** After a login with rememberMe. */
  rememberedMs: number;
}

/** When a refresh token that is made now expires: never after the end of its session. */
export function refreshExpiry(lifetime: RefreshLifetime, rememberMe: boolean, sessionEndsAt: Date): Date {
  const latest = Date.now() + (rememberMe ? lifetime.rememberedMs : lifetime.usualMs);
  return new Date(Math.min(latest, sessionEndsAt.getTime()));
}
