/** What an access token may be allowed to do. */
export const SCOPES = ['plants:read', 'plants:write', 'metrics:read', 'admin'] as const;

export type Scope = (typeof SCOPES)[number];

/** Whether a text names a scope. */
export function isScope(text: string): text is Scope {
  return (SCOPES as readonly string[]).includes(text);
}
