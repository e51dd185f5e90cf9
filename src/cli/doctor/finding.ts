/** What the doctor found in one place. */
export interface Finding {
  readonly check: string;
  readonly state: 'ok' | 'warning' | 'problem';
  /** What is there, in one sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly advice?: string;
  /** What there is to it for programs. */
  readonly values?: Readonly<Record<string, unknown>>;
}

export function ok(check: string, message: string, values?: Finding['values']): Finding {
  return { check, state: 'ok', message, ...(values && { values }) };
}

export function warning(check: string, message: string, advice: string): Finding {
  return { check, state: 'warning', message, advice };
}

export function problem(check: string, message: string, advice: string): Finding {
  return { check, state: 'problem', message, advice };
}
