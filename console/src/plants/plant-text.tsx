import type { StoredPlant } from '../service/plants.ts';

const SHOWN = 300;

const SEEN = /[^\p{C}\p{Z}]/u;

interface PlantTextProps {
  readonly text: string;
  readonly ifEmpty?: string;
  /** Whether it has a line: a break of it is shown as a sign. */
  readonly isLine?: boolean;
}

/** A text of a plant, whatever its characters and their direction. */
export function PlantText({ text: whole, ifEmpty = '(no name)', isLine = false }: PlantTextProps) {
  const text = isLine ? lineOf(whole) : whole;
  if (text === '') return <em>{ifEmpty}</em>;
  if (!SEEN.test(text)) return <em class="text">{startOf(text.replace(/./gsu, '␣'), SHOWN)}</em>;
  return <bdi class="text">{startOf(text, SHOWN)}</bdi>;
}

export const EMPTY_TAG = '(empty)';

/** The tag of a plant, if it has one. */
export function PlantTag({ of: { tag } }: { readonly of: { readonly tag?: string | undefined } }) {
  if (tag === undefined) return null;
  return (
    <span class="tag">
      <PlantText text={tag} ifEmpty={EMPTY_TAG} />
    </span>
  );
}

/** A text as a list shows it. */
export function lineOf(text: string): string {
  return startOf(text, SHOWN).replaceAll(/\r\n|[\n\r\u2028\u2029]/g, '↵');
}

/** By which a plant is known in labels and messages, where a text of any length would not fit. */
export function shortName({ id, name }: StoredPlant, shown = startOf(name, 40)): string {
  return SEEN.test(name) ? shown : String(id);
}

/** A text, or what fits of it. */
export function startOf(text: string, length: number): string {
  // Half a character would be none.
  return text.length > length ? `${text.slice(0, length).replace(/[\ud800-\udbff]$/, '')} …` : text;
}
