/** What an access token may be allowed to do, such as `plants:read`. Each feature declares its own. */
export type Scope = string;

/** The scope of what has no scope of its own. */
export const ADMIN: Scope = 'admin';
