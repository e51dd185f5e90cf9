import type { ObjectLiteral } from 'typeorm';
import type { Column, Table } from '../../kernel/store/table.js';

/** The characters among which upper and lower case count as the same: Latin, Greek, Cyrillic and Armenian as of Unicode 6.1. */
const FOLDED = String.raw`\0-\u037E\u0380-\u0527\u0531-\u0587\u1E00-\u1FFF\u2126\u212A\u212B`;

/** A letter with two cases that is not in `FOLDED`: SQLite's index may fold it, a search does not. */
const OTHER_LETTER = new RegExp(`(?![${FOLDED}])\\p{Changes_When_Casemapped}`, 'u');

/** Characters for which LIKE gets a wildcard: all but ASCII digits and letters, and K and S, which have a third form. */
const NOT_PLAIN = /[^\da-jl-rt-z]/gu;

/** The letters that count as the same, grouped by `fold`. */
let lettersByFold: ReadonlyMap<string, readonly string[]> | undefined;

/** A word of a search, in each form that a text may have it: `é` is one character or two (Unicode NFC and NFD). */
export interface Word {
  /** Whether an index of trigrams finds exactly the texts that have the word. */
  readonly isIndexed: boolean;
  /** The query for FTS5. */
  readonly query: string;
  /** A pattern for LIKE on a text whose ASCII letters are lower case. It rules out most texts faster than the exact pattern. */
  readonly likePattern: string;
  readonly globPatterns: readonly string[];
  /** A regular expression of PostgreSQL. */
  readonly expression: string;
}

/** The sign of a hybrid, which texts write as `×` or as a separate `x`. */
const HYBRID: Word = {
  isIndexed: false,
  query: '',
  likePattern: '%',
  globPatterns: ['*×*', '*[ \n][xX][ \n]*', '[xX][ \n]*', '*[ \n][xX]', '[xX]'],
  expression: '×|(^|[ \n])[xX]($|[ \n])',
};

/** The words of a query. In it, `×` or an `x` before or after another word is the sign of a hybrid. */
export function wordsOf(query: string): Word[] {
  const words = query.replaceAll('×', ' × ').trim().split(/\s+/);
  const isHybrid = (word: string) => word === '×' || (words.length > 1 && /^x$/i.test(word));
  return words.map((word) => (isHybrid(word) ? HYBRID : wordOf(word)));
}

function wordOf(text: string): Word {
  const forms = [...new Set([text, text.normalize('NFC'), text.normalize('NFD')])];
  // In quotes, no character is special.
  const quoted = forms.map((form) => `"${form.replaceAll('"', '""')}"`);
  return {
    isIndexed: forms.every((form) => Array.from(form).length >= 3 && !OTHER_LETTER.test(form)),
    query: `(${quoted.join(' OR ')})`,
    likePattern: forms.length === 1 ? `%${text.toLowerCase().replaceAll(NOT_PLAIN, '_')}%` : '%',
    globPatterns: forms.map((form) => `*${patternOf(form, /[*?[]/, '[$&]')}*`),
    expression: forms.map((form) => patternOf(form, /[!-/:-@[-`{-~]/, String.raw`\$&`)).join('|'),
  };
}

/** An expression of SQL: the values of columns, a line each. The index of PostgreSQL holds it. */
export function textOf<Row extends ObjectLiteral>(
  { isPostgres }: Table<Row>,
  columns: readonly Column[],
): string {
  const newline = isPostgres ? ' || chr(10) || ' : ' || char(10) || ';
  return `(${columns.map(({ name }) => `coalesce(${name}, '')`).join(newline)})`;
}

/** Makes a pattern that matches each letter in any case. */
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

/** Folds the case of a letter (Unicode's simple case folding). */
function fold(letter: string): string {
  const upper = oneOf(letter.toUpperCase(), letter);
  return letter === 'ı' ? letter : oneOf(upper.toLowerCase(), upper);
}

/** Returns the text if it is one character. */
function oneOf(text: string, otherwise: string): string {
  return Array.from(text).length === 1 ? text : otherwise;
}
