/** How long refresh tokens are valid. */
export interface RefreshLifetime {
  usualMs: number;
  /** After a login with rememberMe. */
  rememberedMs: number;
}

/** When a refresh token that is made now expires. */
export function refreshExpiry(lifetime: RefreshLifetime, rememberMe: boolean): Date {
  return new Date(Date.now() + (rememberMe ? lifetime.rememberedMs : lifetime.usualMs));
}
