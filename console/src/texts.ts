/** A number with commas. The first `toLocaleString` of a page takes as long as all else that draws a list. */
const number = (count: number) => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;

/** A text of a user, whose direction does not change that of the sentence. */
const isolated = (text: string) => `\u2068${text}\u2069`;

/** What a list shows, as the service has it. */
type Filter = Readonly<Partial<Record<'ids' | 'search' | 'tag', string>>>;

/** What plants of a filter have. */
const described = ({ ids, search, tag }: Filter) =>
  [
    ...(ids === undefined ? [] : [`ID ${ids}`]),
    ...(search === undefined ? [] : [`“${isolated(search)}” in the name or tag`]),
    ...(tag === undefined ? [] : [`the tag “${isolated(tag)}”`]),
  ].join(' and ');

/** Made when it is needed: it takes as long as a list. */
let relative: Intl.RelativeTimeFormat | undefined;

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** What the console says in several places or with values; a text of one place stands there. */
export const texts = {
  title: 'Plant store',
  views: {
    plants: 'Plants',
    activity: 'Activity',
    transfer: 'Import and export',
    webhooks: 'Webhooks',
    tokens: 'Tokens',
    overview: 'Overview',
  },
  reference: 'API reference',
  theme: (theme: 'system' | 'light' | 'dark') => `Theme: ${theme}`,
  copied: 'Copied',
  notCopied: 'The browser blocked copying.',
  goTo: {
    title: 'Go to',
    key: 'Ctrl K',
    label: 'Page, name, tag or ID',
    plant: (id: bigint) => `Plant with ID ${id}`,
    search: (words: string) => `Search plants for “${isolated(words)}”`,
  },
  keys: {
    title: 'Keyboard shortcuts',
    single: 'Enable single-key shortcuts',
    all: [
      ['/', 'Search plants'],
      ['n', 'Add a plant'],
      ['s', 'Go to the actions for selected plants'],
      ['Ctrl Enter', 'Save and add another plant'],
      ['Ctrl K', 'Go to a page or a plant'],
      ['Shift', 'Select a range of plants'],
      ['?', 'Show keyboard shortcuts'],
    ],
  },
  loading: 'Loading …',
  close: 'Close',
  show: 'Show',
  done: 'Done',
  failed: 'Failed',
  percent: (part: number) => `${Math.floor(part * 100)} %`,
  cancel: 'Cancel',
  tryAgain: 'Try again',
  notLoaded: 'This part of the console failed to load.',
  retry: {
    offline: 'Cannot reach the service.',
    unexpected: (status: number) => `The service returned ${status}.`,
    retrying: 'Retrying … Your input is kept.',
    now: 'Retry now',
  },
  signIn: {
    title: 'Sign in',
    intro: 'Paste an access token to continue.',
    again: 'Your access token has expired or was revoked. Paste another one to continue. Your input is kept.',
    hint: 'Find it in data/first-token, or run “plant-store token create”.',
    token: 'Access token',
    keep: 'Keep me signed in on this browser',
    at: (host: string) => `Sign in with ${host}`,
    noToken: 'Not a valid access token',
    wrong: 'Not a valid access token. Check that you copied all of it.',
    later: (seconds: string) => `Try again in ${seconds} s.`,
    returned: 'You can close this window.',
    blocked: 'The browser blocked the sign-in window. Allow pop-ups, and try again.',
    otherIssuer: 'The response is from a different identity provider.',
  },
  plants: {
    name: 'Name',
    search: 'Search',
    searchHint: 'Search name, tag or ID',
    tag: 'Tag',
    id: 'ID',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all on this page',
    add: 'Add plant',
    readOnly: 'Read-only access',
    editOne: (name: string) => `Edit ${name}`,
    openOne: (name: string) => `Open ${name}`,
    delete: 'Delete',
    deleteOne: (name: string) => `Delete ${name}`,
    actions: 'Actions',
    isNew: 'New',
    unnamed: '(no name)',
    emptyTag: '(empty)',
    filterByTag: (tag: string) => `Show plants tagged “${isolated(tag)}”`,
    none: 'No plants yet',
    begin: {
      add: ['Add a plant', 'All it needs is an ID and a name.'],
      import: ['Import a file', 'CSV with a header row, or NDJSON.'],
    },
    copyCommand: 'Copy as curl',
    past: 'The list ends before this page.',
    noneFound: (filter: Filter) => `No plants with ${described(filter)}`,
    clear: 'Show all plants',
    first: 'First',
    previous: 'Previous',
    next: 'Next',
    pages: 'Pages',
    pagesBelow: 'Pages, below the list',
    /** @param first how many come before; undefined where nobody knows. */
    shown: (count: number, first: unknown, total: number | undefined, filter: Filter) => {
      if (count === 0) return plural(0, 'plant', 'plants');
      const range =
        typeof first === 'number' ? `${number(first + 1)}–${number(first + count)}` : number(count);
      const all = total === undefined ? range : `${range} of ${plural(total, 'plant', 'plants')}`;
      return Object.keys(filter).length === 0 ? all : `${all} with ${described(filter)}`;
    },
    changed: (done: number, count: number) => `${number(done)} of ${number(count)}`,
    changedMeanwhile: (count: number) => `${plural(count, 'plant', 'plants')} changed`,
    refresh: 'Refresh',
    rows: 'Rows per page',
    selection: 'Selected plants',
    selected: (count: number) => `${number(count)} selected`,
    selectMatching: (total: number) => `Select all ${number(total)}`,
    tagSelected: 'Tag …',
    deleteSelected: 'Delete …',
    clearSelection: 'Clear',
  },
  /** How long ago; until then where it is positive. */
  ago: (milliseconds: number) => {
    relative ??= new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
    const [unit, size] =
      UNITS.find(([, each]) => Math.abs(milliseconds) >= each) ?? (['second', Infinity] as const);
    return relative.format(Math.trunc(milliseconds / size), unit);
  },
  activity: {
    day: (day: Date) => {
      const ago = Math.round((new Date().setHours(0, 0, 0, 0) - day.getTime()) / 86_400_000);
      if (ago < 2) return ago < 1 ? 'Today' : 'Yesterday';
      return day.toLocaleDateString('en', { weekday: 'long', day: 'numeric', month: 'long' });
    },
    kinds: { created: 'created', changed: 'changed', deleted: 'deleted' },
    /** @param isCut whether there may be more. */
    counts: (counts: Readonly<Record<string, number>>, isCut: boolean) =>
      Object.entries(counts)
        .map(([kind, count]) => `${kind} ${isCut ? 'at least ' : ''}${plural(count, 'plant', 'plants')}`)
        .join(', '),
    more: (count: number) => `and ${plural(count, 'earlier change', 'earlier changes')}`,
    someone: 'Someone',
    unknown: 'Unknown',
    you: 'You',
    range: 'Time',
    ranges: { '': 'Latest', hour: 'Last hour', today: 'Today' },
    since: 'Since',
    kind: 'Kind',
    anyKind: 'All changes',
    by: 'Who',
    anybody: 'Anyone',
    plant: 'Plant ID',
    clear: 'Clear filters',
    states: { live: 'Live', paused: 'Paused', ended: 'Disconnected' },
    changes: (count: number) => plural(count, 'change', 'changes'),
    none: 'No changes',
    noneHint: 'Changes appear here as they are made.',
    restore: 'Restore',
    restoreOne: (name: string) => `Restore ${isolated(name)}`,
    restored: (name: string) => `Restored ${isolated(name)}`,
    undone: 'Restored plant reverted',
    pause: 'Pause',
    goOn: 'Resume',
  },
  form: {
    addTitle: 'Add a plant',
    editTitle: 'Edit plant',
    idHint: 'Leave empty for the next free ID.',
    openTitle: 'Plant',
    tagHint: 'Optional',
    json: 'JSON',
    copyJson: 'Copy JSON',
    history: 'History',
    noHistory: 'No changes kept',
    save: 'Save',
    saveAndAdd: 'Save and add another',
    badId: 'The ID must be a whole number from −9223372036854775808 to 9223372036854775807.',
    taken: 'Another plant has this ID.',
    saved: (name: string) => `Saved ${isolated(name)}`,
    added: (count: number) => `Added ${plural(count, 'plant', 'plants')}`,
    discarded: 'Changes discarded',
    unchanged: 'No changes to save',
    gone: 'Someone else deleted this plant',
    createAgain: 'Create again',
    discard: 'Discard changes',
  },
  conflict: {
    title: 'Someone else changed this plant',
    intro: 'Which version do you want to keep?',
    yours: 'Yours',
    theirs: 'Theirs',
    notes: { mine: 'your change', theirs: 'their change', merged: 'their change, merged' },
    keepYours: 'Save mine',
    keepTheirs: 'Keep theirs',
    edit: 'Keep editing',
  },
  remove: {
    title: (count: number) => `Delete ${plural(count, 'plant', 'plants')}?`,
    intro: 'You can undo this for a few seconds.',
    done: (name: string) => `Deleted ${isolated(name)}`,
    doneMany: (count: number) => `Deleted ${plural(count, 'plant', 'plants')}`,
    undo: 'Undo',
    undone: 'Deletion undone',
    notUndone: (count: number) =>
      `Could not restore ${plural(count, 'plant', 'plants')}: another plant has the ID.`,
  },
  tagging: {
    title: (count: number) => `Tag ${plural(count, 'plant', 'plants')}`,
    submit: 'Set tag',
    remove: 'Remove tag',
    done: (count: number, tag: string) => `Tagged ${plural(count, 'plant', 'plants')} “${isolated(tag)}”`,
    none: 'Enter a tag.',
    undone: 'Tags restored',
    removed: (count: number) => `Removed the tag of ${plural(count, 'plant', 'plants')}`,
  },
  transfer: {
    import: 'Import',
    export: 'Export',
    file: 'Drop a file here, or choose one',
    fileHint: 'CSV with a header row (id, name, tag), or NDJSON',
    csv: (separator: string) => `CSV separated by ${separator === '\t' ? 'tabs' : `“${separator}”`}`,
    found: (name: string, format: string, size: string) => `${name}: ${format}, ${size}`,
    preview: 'Preview',
    badId: '(not an ID)',
    ignored: (columns: string) => `Ignored columns: ${isolated(columns)}`,
    start: 'Start import',
    empty: 'No plants in this file',
    binary: 'Not a text file. Save it as CSV (UTF-8) or NDJSON.',
    noColumns: 'The header row needs the columns id and name.',
    tooLarge: 'The file has more than 64 MiB. Split it, or use “plant-store import”.',
    noEnd: (row: number) => `The quote in row ${row} is never closed.`,
    brokeOff: 'The response was cut off.',
    running: (name: string) => `Importing ${name}`,
    left: (milliseconds: number) =>
      milliseconds < 60_000
        ? `About ${Math.ceil(milliseconds / 5_000) * 5} s left`
        : `About ${Math.ceil(milliseconds / 60_000)} min left`,
    refused: (count: number) => `${number(count)} rejected`,
    of: (done: number, all: number) => `${number(done)} of ${plural(all, 'line', 'lines')}`,
    ends: {
      done: 'Import complete',
      cancelled: 'Import cancelled',
      failed: 'Import failed',
    },
    outcome: (stored: number, refused: number) =>
      `${plural(stored, 'plant', 'plants')} imported, ${plural(refused, 'line', 'lines')} rejected`,
    repeatable: 'You can resume: no line is imported twice.',
    goOn: 'Resume',
    another: 'Import another file',
    refusals: 'Rejected lines',
    refusalTitles: ['Row', 'Reason', 'Text'],
    download: 'Download rejected lines',
    downloadHint: 'Correct them in that file, and import it.',
    refusalsName: (name: string) => `rejected-${name}`,
    exportHint: 'To export only some plants, filter the list and choose Export there.',
    exportFiltered: (filter: Filter) => `Plants with ${described(filter)}`,
    exportAll: 'All plants instead',
    format: 'Format',
    formats: {
      ndjson: 'NDJSON, for programs',
      csv: 'CSV, for spreadsheets',
    },
    exportStart: 'Export all plants',
    exportStartFiltered: 'Export these plants',
    exporting: 'Exporting',
    plants: (count: number) => plural(count, 'plant', 'plants'),
    exported: (plants: number, file: string, size: string) =>
      `Exported ${plural(plants, 'plant', 'plants')} to ${file} (${size})`,
    exportCancelled: 'Export cancelled. No file was saved.',
    exportBrokeOff: 'The response was cut off. No file was saved.',
    size: (bytes: number) => {
      if (bytes < 1e3) return plural(bytes, 'byte', 'bytes');
      const [amount, unit] =
        bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
      return `${amount.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
    },
  },
  skipped: (count: number) =>
    `Skipped ${plural(count, 'plant', 'plants')} that someone else changed or deleted.`,
  secret: {
    once: 'Copy it now. It will not be shown again.',
    secret: 'Secret',
    copy: 'Copy',
    kept: 'Done',
  },
  tokens: {
    intro: 'Create a separate token for each program and person.',
    add: 'New token',
    own: 'This session',
    revoke: 'Revoke',
    revokeOne: (name: string) => `Revoke ${name}`,
    titles: {
      token: 'Token',
      scopes: 'Scopes',
      state: 'State',
      used: 'Last used',
      made: 'Created',
    },
    states: {
      valid: 'Never expires',
      expires: 'Expires',
      ending: 'Expires soon:',
      expired: 'Expired',
      revoked: 'Revoked',
    },
    unused: 'Never',
    nameHint: 'What the token is for',
    scopes: 'Scopes',
    lastDay: 'Expires on',
    meanings: {
      'plants:read': 'view and export plants',
      'plants:write': 'add, edit, delete and import plants',
      'metrics:read': 'view metrics',
      admin: 'manage tokens and webhooks',
    } as Readonly<Record<string, string>>,
    problems: {
      name: 'Enter a name: one line, at most 200 characters.',
      scopes: 'Select at least one scope.',
      expiresAt: 'Choose a later day, but not after your own token expires.',
    },
    limit: (date: string) => `Your own token expires on ${date}. This one cannot expire later.`,
    lastDayHint: 'Leave empty for a token that never expires.',
    submit: 'Create token',
    issued: (name: string) => `Token ${name}`,
    revokeIntro: 'This cannot be undone.',
    revokeOwn: 'You are signed in with this token. This cannot be undone.',
    lastAdmin: 'This is the last token with the scope admin. Only the command line can create another one.',
    revokeAllTheSame: 'Revoke anyway',
    revoked: (name: string) => `Revoked ${name}`,
  },
  webhooks: {
    add: 'New webhook',
    never: 'Never',
    titles: {
      url: 'Address',
      state: 'State',
      behind: 'Pending changes',
      success: 'Last success',
      failure: 'Last failure',
    },
    states: { active: 'Active', failing: 'Failing', paused: 'Paused', off: 'Off' },
    actions: {
      resume: 'Resume',
      rotate: 'Rotate secret',
    },
    columns: { result: 'Result', at: 'Sent', changes: 'Content', duration: 'Response time' },
    changes: (count: number) => plural(count, 'change', 'changes'),
    milliseconds: (count: number) => `${number(count)} ms`,
    resend: 'Resend from here',
    meanings: {
      created: 'plants that are added',
      changed: 'plants that are edited',
      deleted: 'plants that are deleted',
    },
    afterHint: (cursor: string) =>
      `${cursor} is the last one delivered. Enter 0 for all changes that are kept.`,
    tested: (status: number, milliseconds: number) =>
      `Test delivered: status ${status} in ${number(milliseconds)} ms`,
  },
  overview: {
    states: {
      ok: { title: 'Ready', advice: 'Reads and writes work.' },
      unavailable: {
        title: 'The service is not ready.',
        advice: 'Check its log and its database. It recovers by itself.',
      },
      unreachable: {
        title: 'Cannot reach the service.',
        advice: 'Check that it is running and that your network reaches it. Retrying …',
      },
    },
    /** Of a reason that the console does not know. */
    degraded: (reason: string) => ({
      title: `Writes fail (${reason}).`,
      advice: 'Reads work. Check the log of the service.',
    }),
    reasons: {
      disk_full: {
        title: 'The disk of the database is full.',
        advice: 'Reads work, writes fail. Free some space: writes resume by themselves.',
      },
      read_only: {
        title: 'The database is read-only.',
        advice: 'Reads work, writes fail. Check the system log for disk errors, or promote the standby.',
      },
      write_error: {
        title: 'Writes to the disk of the database fail.',
        advice: 'Reads work. Check the log of the service and the system log.',
      },
      locked: {
        title: 'Another process has locked the database.',
        advice: 'Reads work, writes fail. Find that process, for example with fuser, and end it.',
      },
      corrupt: {
        title: 'The database file is damaged.',
        advice: 'The service has stopped writing. Stop it, keep a copy of the file, and restore a backup.',
      },
    } as Readonly<Record<string, { readonly title: string; readonly advice: string }>>,
    up: (milliseconds: number) => {
      const [unit, size] = UNITS.find(([, each]) => milliseconds >= each) ?? (['second', 1_000] as const);
      return `Up for ${plural(Math.floor(milliseconds / size), unit, `${unit}s`)}`;
    },
    lastAnswer: (time: string) => `Last updated ${time}`,
    perSecond: (value: number) =>
      value.toLocaleString('en', { maximumSignificantDigits: value < 100 ? 2 : 3 }),
    milliseconds: (value: number) =>
      `${value.toLocaleString('en', { maximumSignificantDigits: value < 100 ? 2 : 3 })} ms`,
    all: 'View all',
    webhooksWell: (count: number) =>
      count === 0 ? 'No webhooks' : `${plural(count, 'webhook', 'webhooks')}, up to date`,
    webhookStates: { paused: 'Paused', off: 'Off' } as Readonly<Record<string, string>>,
    behindBy: (count: number) => `${count < 10_000 ? number(count) : '10,000+'} behind`,
    ofLimit: (length: number, limit: number) => `${number(length)} / ${number(limit)}`,
    free: (size: string) => `${size} free`,
    backup: 'Last backup',
    noBackups: ['Off', 'Set BACKUP_FOLDER.'],
  },
  chart: {
    peak: (value: string) => `Peak ${value}`,
    read: (name: string) => `${name}: values over time`,
  },
  docs: {
    found: (count: number) => `${plural(count, 'operation', 'operations')} found`,
    link: (name: string) => `Link to ${name}`,
    placeholder: (example: string) => (example === '' ? '' : `e.g. ${example}`),
    body: 'Body',
    headers: 'Headers',
    rules: {
      enum: (values: readonly unknown[]) =>
        `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}`,
      default: (value: unknown) => `Default \`${String(value)}\``,
      minimum: (value: unknown) => `Minimum ${String(value)}`,
      maximum: (value: unknown) => `Maximum ${String(value)}`,
      minLength: (value: unknown) => `Min length ${String(value)}`,
      maxLength: (value: unknown) => `Max length ${String(value)}`,
      minItems: (value: unknown) => `Min items ${String(value)}`,
      maxItems: (value: unknown) => `Max items ${String(value)}`,
      pattern: 'Pattern',
    },
    sample: (language: string) => `${language} sample`,
    copy: (title: string) => `Copy: ${title}`,
    took: (milliseconds: number) => `in ${number(milliseconds)} ms`,
  },
};
