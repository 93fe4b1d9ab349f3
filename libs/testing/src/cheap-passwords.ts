/** The fastest password hashing that identity-svc allows. */
export const CHEAP_PASSWORDS = { ESD_PASSWORD_MEMORY_KIB: '7168', ESD_PASSWORD_PASSES: '1' } as const;
