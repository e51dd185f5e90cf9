/** What an access token may be allowed to do. */
export const SCOPES = ['plants:read', 'plants:write', 'metrics:read', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];
