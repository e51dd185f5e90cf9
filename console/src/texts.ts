/** A number with commas. The first `toLocaleString` takes as long as drawing the rest of the list. */
export const number = (count: number) => String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');

export const plural = (count: number, one: string) => `${number(count)} ${one}${count === 1 ? '' : 's'}`;

export const plantCount = (count: number) => plural(count, 'plant');

/** User text, isolated so that its direction does not affect the sentence. */
export const isolated = (text: string) => `\u2068${text}\u2069`;

/** A filter in words. */
export const described = ({ ids, search, tag }: Readonly<Partial<Record<string, string>>>) =>
  [
    ...(ids === undefined ? [] : [`ID ${ids}`]),
    ...(search === undefined ? [] : [`“${isolated(search)}” in the name or tag`]),
    ...(tag === undefined ? [] : [`the tag “${isolated(tag)}”`]),
  ].join(' and ');

export const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const;

/** A size in its largest unit. */
export const sizeOf = (bytes: number) => {
  if (bytes < 1e3) return plural(bytes, 'byte');
  const [amount, unit] =
    bytes < 1e6 ? [bytes / 1e3, 'kB'] : bytes < 1e9 ? [bytes / 1e6, 'MB'] : [bytes / 1e9, 'GB'];
  return `${amount.toLocaleString('en', { maximumFractionDigits: 1 })} ${unit}`;
};

/** Texts that several places share. */
export const texts = {
  title: 'Plant store',
  reference: 'API reference',
  name: 'Name',
  tag: 'Tag',
  id: 'ID',
  actions: 'Actions',
  activity: 'Activity',
  cancel: 'Cancel',
  close: 'Close',
  export: 'Export',
  loading: 'Loading …',
  noChanges: 'No changes',
  offline: 'Cannot reach the service.',
  readOnly: 'Read-only access',
  show: 'Show',
  signIn: 'Sign in',
  tryAgain: 'Try again',
  undo: 'Undo',
  changedElsewhere: 'Someone else changed this plant',
  gone: 'Someone else deleted this plant',
  saved: (name: string) => `Saved “${isolated(name)}”`,
  skipped: (count: number) => `Skipped ${plantCount(count)} that someone else changed or deleted`,
  notRestored: (count: number) => `Could not restore ${plantCount(count)}: another plant has the ID.`,
};
