export interface RefreshLifetime {
  usualMs: number;
  rememberedMs: number;
}

/** Returns the expiry of a new refresh token, which is not later than the end of its session. */
export function refreshExpiry(lifetime: RefreshLifetime, rememberMe: boolean, sessionEndsAt: Date): Date {
  const latest = Date.now() + (rememberMe ? lifetime.rememberedMs : lifetime.usualMs);
  return new Date(Math.min(latest, sessionEndsAt.getTime()));
}
