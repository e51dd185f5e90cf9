import type { StoredPlant } from '../service/plants.ts';

const SHOWN = 300;

const SEEN = /[^\p{C}\p{Z}]/u;

interface PlantTextProps {
  readonly text: string;
  readonly ifEmpty?: string;
  /** One line: line breaks are shown as ↵. */
  readonly isLine?: boolean;
}

/** User text of any characters, length and direction. */
export function PlantText({ text: whole, ifEmpty = '(no name)', isLine = false }: PlantTextProps) {
  const text = isLine ? lineOf(whole) : whole;
  if (text === '') return <em>{ifEmpty}</em>;
  if (!SEEN.test(text)) return <em class="text">{startOf(text.replace(/./gsu, '␣'), SHOWN)}</em>;
  return <bdi class="text">{startOf(text, SHOWN)}</bdi>;
}

export const EMPTY_TAG = '(empty)';

export function PlantTag({ of: { tag } }: { readonly of: { readonly tag?: string | undefined } }) {
  if (tag === undefined) return null;
  return (
    <span class="tag">
      <PlantText text={tag} ifEmpty={EMPTY_TAG} />
    </span>
  );
}

/** A text in one line. */
export function lineOf(text: string): string {
  return startOf(text, SHOWN).replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '↵');
}

/** A short label for a plant. */
export function shortName({ id, name }: StoredPlant, shown = startOf(name, 40)): string {
  return SEEN.test(name) ? shown : String(id);
}

/** Truncates a text. */
export function startOf(text: string, length: number): string {
  // Do not split a surrogate pair.
  return text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')} …` : text;
}
