import type { ObjectLiteral } from 'typeorm';
import type { Column, Table } from '../../store/table.js';

/** The characters among which upper and lower case count as the same: Latin, Greek, Cyrillic and Armenian as of Unicode 6.1. */
const FOLDED = String.raw`\0-\u037E\u0380-\u0527\u0531-\u0587\u1E00-\u1FFF\u2126\u212A\u212B`;

/** A letter of which the index of SQLite might know another case than a search does. */
const OTHER_LETTER = new RegExp(`(?![${FOLDED}])\\p{Changes_When_Casemapped}`, 'u');

/** What may be the same in any case, for LIKE: ASCII without K and S, which have a third form. */
const NOT_PLAIN = /[^\da-jl-rt-z]/gu;

/** The letters that count as the same, by what `fold` makes of them. */
let lettersByFold: ReadonlyMap<string, readonly string[]> | undefined;

/** A word of a search, in each form that a text may have it: `é` is one character or two (Unicode NFC and NFD). */
export class Word {
  private readonly forms: readonly string[];

  constructor(readonly text: string) {
    this.forms = [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
  }

  /** Whether an index of trigrams finds exactly the texts that have the word. */
  get isIndexed(): boolean {
    return this.forms.every((form) => Array.from(form).length >= 3 && !OTHER_LETTER.test(form));
  }

  /** For FTS5. In quotes, no character has a meaning. */
  get query(): string {
    return `(${this.forms.map((form) => `"${form.replaceAll('"', '""')}"`).join(' OR ')})`;
  }

  /** A pattern for LIKE on a text whose ASCII letters are small. It rules out most texts in a fraction of the time. */
  get likePattern(): string {
    return this.forms.length === 1 ? `%${this.text.toLowerCase().replaceAll(NOT_PLAIN, '_')}%` : '%';
  }

  get globPatterns(): readonly string[] {
    return this.forms.map((form) => `*${patternOf(form, /[*?[]/, '[$&]')}*`);
  }

  /** A regular expression of PostgreSQL. */
  get expression(): string {
    return this.forms.map((form) => patternOf(form, /[!-/:-@[-`{-~]/, String.raw`\$&`)).join('|');
  }
}

/** An expression of SQL: the values of columns, a line each. The index of PostgreSQL holds it. */
export function textOf<Row extends ObjectLiteral>(
  { isPostgres }: Table<Row>,
  columns: readonly Column[],
): string {
  const newline = isPostgres ? ' || chr(10) || ' : ' || char(10) || ';
  return `(${columns.map(({ name }) => `coalesce(${name}, '')`).join(newline)})`;
}

/** Writes a pattern in which each letter stands for all that count as the same. */
function patternOf(form: string, special: RegExp, escaped: string): string {
  lettersByFold ??= Map.groupBy(
    String.fromCharCode(...Array(0x21_2c).keys()).match(
      new RegExp(`(?=[${FOLDED}])\\p{Changes_When_Casemapped}`, 'gu'),
    ) ?? [],
    fold,
  );
  return Array.from(form, (character) => {
    const same = lettersByFold?.get(fold(character));
    return same?.includes(character) ? `[${same.join('')}]` : character.replace(special, escaped);
  }).join('');
}

/** Makes the cases of a letter the same (Unicode's simple case folding). */
function fold(letter: string): string {
  const upper = oneOf(letter.toUpperCase(), letter);
  return letter === 'ı' ? letter : oneOf(upper.toLowerCase(), upper);
}

/** A text if it is one character. */
function oneOf(text: string, otherwise: string): string {
  return Array.from(text).length === 1 ? text : otherwise;
}
