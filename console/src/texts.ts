/** A number with commas. The first `toLocaleString` of a page takes as long as all else that draws a list. */
const number = (count: number) => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

const plural = (count: number, one: string, many: string) => `${number(count)} ${count === 1 ? one : many}`;

/** A text of a user, whose direction does not change that of the sentence. */
const isolated = (text: string) => `\u2068${text}\u2069`;

/** What a list shows, as the service has it. */
type Filter = Readonly<Partial<Record<'ids' | 'search' | 'name' | 'tag', string>>>;

/** What plants of a filter have. */
const described = ({ ids, search, name, tag }: Filter) =>
  [
    ...(ids === undefined ? [] : [`the id ${ids}`]),
    ...(search === undefined ? [] : [`“${isolated(search)}” in the name or tag`]),
    ...(name === undefined ? [] : [`a name that begins with “${isolated(name)}”`]),
    ...(tag === undefined ? [] : [`the tag “${isolated(tag)}”`]),
  ].join(' and ');

/** Everything that the console says, in English; another language is another object like this. */
export const texts = {
  title: 'Plant store',
  views: {
    plants: 'Plants',
    changes: 'Changes',
    transfer: 'Import and export',
    tokens: 'Tokens',
    overview: 'Overview',
  },
  reference: 'API reference',
  theme: (theme: 'system' | 'light' | 'dark') =>
    `Colours: ${{ system: 'those of the system', light: 'light', dark: 'dark' }[theme]}`,
  copied: 'Copied.',
  notCopied: 'The browser does not let the page copy it.',
  goTo: {
    title: 'Go to',
    key: 'Ctrl K',
    label: 'A page, an id, or words',
    plant: (id: bigint) => `The plant with the id ${id}`,
    search: (words: string) => `Plants with ${isolated(words)}`,
  },
  keys: {
    title: 'Keyboard shortcuts',
    single: 'Single keys do this, without Ctrl',
    all: [
      ['/', 'Search for plants'],
      ['n', 'Add a plant'],
      ['s', 'Go to what can be done with the selected plants'],
      ['Ctrl K', 'Go to a page or a plant'],
      ['Shift', 'Select all from the last one to this one'],
      ['?', 'Show this list'],
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
  notLoaded: 'This part of the console could not be loaded.',
  hold: {
    offline: 'The service cannot be reached.',
    unexpected: (status: number) => `The service returned ${status}.`,
    retrying: 'The console tries again by itself. Nothing you typed is lost.',
    now: 'Try now',
  },
  signIn: {
    title: 'Sign in',
    intro: 'Paste an access token to see and change the plants.',
    again: 'This access token is not valid any more. Paste another one to go on. Nothing you typed is lost.',
    hint: 'The first start of the service writes one to the file first-token beside its data. “plant-store token create” makes more.',
    token: 'Access token',
    keep: 'Stay signed in, in all tabs of this browser',
    at: (host: string) => `Sign in at ${host}`,
    signOut: 'Sign out',
    noToken: 'This is no access token.',
    wrong: 'This access token is not valid. Check that it is copied whole.',
    later: (seconds: string) => `Try again in ${seconds} s.`,
    returned: 'You can close this window.',
    otherIssuer: 'The answer is from another identity provider.',
  },
  plants: {
    name: 'Name',
    search: 'Search',
    searchHint: 'An id, or words',
    tag: 'Tag',
    id: 'Id',
    select: (name: string) => `Select ${name}`,
    selectAll: 'Select all on this page',
    add: 'Add plant',
    readOnly: 'Your token may only read.',
    edit: 'Edit',
    editOne: (name: string) => `Edit ${name}`,
    open: 'Open',
    openOne: (name: string) => `Open ${name}`,
    delete: 'Delete',
    deleteOne: (name: string) => `Delete ${name}`,
    actions: 'Actions',
    unnamed: '(no name)',
    emptyTag: '(empty)',
    filterByTag: (tag: string) => `Only plants with the tag ${isolated(tag)}`,
    none: 'There are no plants yet.',
    begin: {
      add: ['Add a plant', 'It takes an id and a name.'],
      import: ['Import a file', 'NDJSON, or CSV with a first line.'],
      samples: ['Load samples', 'Twelve plants to look around with.'],
    },
    sampled: (count: number) => `${plural(count, 'sample is', 'samples are')} stored.`,
    copyId: (id: bigint) => `Copy the id ${id}`,
    copyCommand: 'Copy as curl',
    past: 'The list ends before this page.',
    noneFound: (filter: Filter) => `No plant has ${described(filter)}.`,
    noSearch: 'This service finds words in any place only with the setting SEARCH=on.',
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
    changedMeanwhile: (count: number) =>
      `${plural(count, 'plant has', 'plants have')} changed since this list was read.`,
    refresh: 'Refresh',
    selection: 'Selected plants',
    selected: (count: number) => `${number(count)} selected`,
    selectMatching: (total: number) => `Select all ${number(total)}`,
    tagSelected: 'Tag …',
    deleteSelected: 'Delete …',
    clearSelection: 'Clear',
  },
  changes: {
    titles: ['Id', 'Plant', 'Change'],
    kinds: { created: 'created', changed: 'changed', deleted: 'deleted' },
    states: { live: 'Live', paused: 'Paused', ended: 'Not live' },
    latest: (count: number) => `the latest ${plural(count, 'change', 'changes')}`,
    withId: (count: number, id: string) => `, ${number(count)} with the id ${isolated(id)}`,
    difference: (field: string, before: string, after: string) =>
      `${field}: ${isolated(before)} → ${isolated(after)}`,
    pause: 'Pause',
    goOn: 'Go on',
  },
  form: {
    addTitle: 'Add a plant',
    editTitle: 'Edit plant',
    idHint: 'A whole number that no other plant has.',
    openTitle: 'Plant',
    suggest: 'Suggest one',
    tagHint: 'Leave it empty for no tag.',
    save: 'Save',
    badId: 'The id must be a whole number from −9223372036854775808 to 9223372036854775807.',
    taken: 'Another plant has this id.',
    saved: (name: string) => `${isolated(name)} is saved.`,
    unchanged: 'Nothing has changed.',
    gone: 'This plant was deleted meanwhile.',
    createAgain: 'Create it again',
    discard: 'Discard my changes',
    kept: 'You typed this before.',
  },
  conflict: {
    title: 'Someone else changed this plant',
    intro: 'Which version is to stay?',
    yours: 'Yours',
    theirs: 'Theirs',
    keepYours: 'Save mine',
    keepTheirs: 'Keep theirs',
    edit: 'Go on editing mine',
  },
  remove: {
    title: (count: number) => `Delete ${plural(count, 'plant', 'plants')}?`,
    intro: 'You can undo it for a short while.',
    done: (name: string) => `${isolated(name)} is deleted.`,
    doneMany: (count: number) => `${plural(count, 'plant is', 'plants are')} deleted.`,
    undo: 'Undo',
    undone: 'The deletion is undone.',
    notUndone: (count: number) =>
      `${plural(count, 'plant', 'plants')} could not be put back: the id was taken.`,
  },
  tagging: {
    title: (count: number) => `Tag ${plural(count, 'plant', 'plants')}`,
    submit: 'Set the tag',
    remove: 'Remove the tag',
    done: (count: number) => `${plural(count, 'plant has', 'plants have')} the tag.`,
    removed: (count: number) => `${plural(count, 'plant has', 'plants have')} no tag.`,
  },
  transfer: {
    import: 'Import',
    export: 'Export',
    file: 'Drop a file of plants here, or choose one',
    fileHint: 'NDJSON, or CSV with a column for each field: id, name and perhaps others.',
    csv: (separator: string) => `CSV separated by ${separator === '\t' ? 'tabs' : `“${separator}”`}`,
    found: (name: string, format: string, size: string) => `${name}: ${format}, ${size}`,
    preview: 'The first records',
    start: 'Import this file',
    empty: 'There are no plants in this file.',
    binary: 'This is no text file. Save it as CSV in UTF-8, or as NDJSON.',
    noColumns: 'The first line has to name the columns id and name.',
    notUtf8: (line: number) => `Line ${line} is not in UTF-8.`,
    noEnd: (line: number) => `The quote in line ${line} does not end.`,
    brokeOff: 'The answer of the service broke off.',
    running: (name: string) => `Importing ${name}`,
    lines: (count: number) => plural(count, 'line', 'lines'),
    speed: 'Lines a second',
    left: (milliseconds: number) =>
      milliseconds < 60_000
        ? `About ${Math.ceil(milliseconds / 5_000) * 5} s left`
        : `About ${Math.ceil(milliseconds / 60_000)} min left`,
    refused: (count: number) => `${number(count)} refused`,
    of: (done: string, all: string) => `${done} of ${all}`,
    ends: {
      done: 'The import is complete.',
      cancelled: 'The import is cancelled. What is stored stays stored.',
      failed: 'The import has stopped.',
    },
    outcome: (stored: number, refused: number) =>
      `${plural(stored, 'plant is', 'plants are')} stored. ${plural(refused, 'line was', 'lines were')} refused.`,
    repeatable: 'You can go on: nothing is stored twice.',
    goOn: 'Go on',
    another: 'Import another file',
    refusals: 'The first refusals',
    refusalTitles: ['Line', 'Reason', 'Text'],
    download: 'Download all refusals',
    downloadHint: 'You can correct and import that file.',
    refusalsName: (name: string) => `refused-${name}`,
    exportHint: 'Saves all plants. To save some of them, filter the list and press Export there.',
    exportFiltered: (filter: Filter) => `Saves the plants with ${described(filter)}.`,
    exportAll: 'All plants instead',
    format: 'Format',
    formats: {
      ndjson: 'NDJSON, with every field',
      csv: 'CSV, for spreadsheets',
    },
    exportStart: 'Export all plants',
    exportStartFiltered: 'Export these plants',
    exporting: 'Exporting',
    plants: (count: number) => plural(count, 'plant', 'plants'),
    exported: (plants: number, file: string, size: string) =>
      `${plural(plants, 'plant is', 'plants are')} in ${file} (${size}).`,
    exportCancelled: 'The export is cancelled. Nothing is saved.',
    exportBrokeOff: 'The export broke off. Nothing is saved.',
    size: (bytes: number) => {
      if (bytes < 1e3) return plural(bytes, 'byte', 'bytes');
      const [amount, unit] =
        bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
      return `${amount.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
    },
  },
  skipped: (count: number) =>
    `${plural(count, 'plant was', 'plants were')} changed or deleted by someone else.`,
  tokens: {
    intro: 'Give each program and person a token of their own.',
    add: 'New token',
    own: 'in use here',
    revoke: 'Revoke',
    revokeOne: (name: string) => `Revoke ${name}`,
    titles: {
      token: 'Token',
      scopes: 'Scopes',
      state: 'State',
      used: 'Last used',
      made: 'Made',
    },
    states: {
      valid: 'Never expires',
      expires: 'Expires',
      ending: 'Expires soon:',
      expired: 'Expired',
      revoked: 'Revoked',
    },
    unused: 'never',
    nameHint: 'What it is for.',
    scopes: 'What it may do',
    lastDay: 'Last day',
    meanings: {
      'plants:read': 'sees and exports plants',
      'plants:write': 'adds, changes, deletes and imports plants',
      'metrics:read': 'sees the figures of the overview',
      admin: 'makes and revokes tokens',
    } as Readonly<Record<string, string>>,
    problems: {
      name: 'Give it a name: one line of at most 200 characters.',
      scopes: 'Choose at least one.',
      expiresAt: 'Choose a later day, but none after your own token ends.',
    },
    limit: (date: string) => `Your own token ends on ${date}: this one ends no later.`,
    lastDayHint: 'Leave it empty for a token that never expires.',
    submit: 'Make the token',
    issued: (name: string) => `The token ${name}`,
    once: 'Copy it now. It is not shown again.',
    secret: 'Secret',
    copy: 'Copy',
    kept: 'I have kept it',
    revokeIntro: 'This cannot be undone.',
    revokeOwn: 'You are signed in with this token. This cannot be undone.',
    lastAdmin:
      'This is the last token with the scope admin. Only the command line can then make another one.',
    revokeAllTheSame: 'Revoke it all the same',
    revoked: (name: string) => `${name} is revoked.`,
  },
  overview: {
    states: {
      ok: { title: 'Ready', advice: 'Reads and writes work.' },
      unavailable: {
        title: 'The service is not ready.',
        advice: 'Look at its log, and whether its database runs. It goes on by itself.',
      },
      unreachable: {
        title: 'The service cannot be reached.',
        advice:
          'Check that it runs and that your network leads to it. The console looks again every few seconds.',
      },
    },
    /** Of a reason that the console does not know. */
    degraded: (reason: string) => ({
      title: `Writes fail (${reason}).`,
      advice: 'Reads work. Look at the log of the service.',
    }),
    reasons: {
      disk_full: {
        title: 'The disk of the database is full.',
        advice: 'Writes fail, reads work. Make room: writes then succeed by themselves.',
      },
      read_only: {
        title: 'The database is read-only.',
        advice:
          'Writes fail, reads work. Look for errors of the disk in the system log, or promote the standby.',
      },
      write_error: {
        title: 'The disk of the database fails writes.',
        advice: 'Reads work. Look at the log of the service and at the system log.',
      },
      locked: {
        title: 'Another process keeps the database locked.',
        advice: 'Writes fail, reads work. Find that process, for example with fuser, and end it.',
      },
      corrupt: {
        title: 'The database file is damaged.',
        advice: 'The service writes nothing more. Stop it, keep a copy of the file, and restore a backup.',
      },
    } as Readonly<Record<string, { readonly title: string; readonly advice: string }>>,
    lastAnswer: (time: string) => `Figures of ${time}, when it last answered.`,
    writes: 'Writes a second',
    latency: 'Time of a request',
    milliseconds: (value: number) =>
      `${value.toLocaleString('en', { maximumSignificantDigits: value < 100 ? 2 : 3 })} ms`,
    queue: 'Waiting writes',
    ofLimit: (limit: number) => `of ${limit.toLocaleString('en')} at most`,
    disk: 'Database',
    free: (size: string) => `${size} free on its disk`,
    backup: 'Last backup',
    noBackup: 'None',
    noBackups: 'The service makes none: see BACKUP_FOLDER.',
    version: 'Version',
    noMetrics: 'A token with the scope metrics:read also shows writes, times, disk and backups.',
  },
  curve: {
    nothing: '–',
    peak: (value: string) => `highest ${value}`,
    ago: (milliseconds: number) =>
      milliseconds < 60_000
        ? `${Math.round(milliseconds / 1000)} s ago`
        : `${Math.round(milliseconds / 60_000)} min ago`,
    now: 'now',
  },
  docs: {
    operations: 'Operations',
    download: 'The contract as OpenAPI 3.1',
    parameters: 'Parameters',
    body: 'Body',
    mediaType: 'Media type',
    responses: 'Responses',
    headers: 'Headers',
    fields: 'Fields',
    example: 'Example',
    required: 'required',
    rules: {
      enum: (values: readonly unknown[]) =>
        `One of ${values.map((value) => `\`${String(value)}\``).join(', ')}`,
      default: (value: unknown) => `By default \`${String(value)}\``,
      minimum: (value: unknown) => `At least ${String(value)}`,
      maximum: (value: unknown) => `At most ${String(value)}`,
      minLength: (value: unknown) => `Characters: at least ${String(value)}`,
      maxLength: (value: unknown) => `Characters: at most ${String(value)}`,
      minItems: (value: unknown) => `Items: at least ${String(value)}`,
      maxItems: (value: unknown) => `Items: at most ${String(value)}`,
      pattern: (value: unknown) => `Pattern \`${String(value)}\``,
    },
    command: 'Command',
    send: 'Send',
    copy: (title: string) => `Copy: ${title}`,
    noToken: 'You are not signed in.',
    took: (milliseconds: number) => `after ${number(milliseconds)} ms`,
    cut: 'Only the beginning of the body is shown.',
  },
};
