import type { StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { PlantText, startOf } from '../plant-text.tsx';

/** Characters of a text that are shown, from a little before the first difference. */
const SHOWN = 300;
const BEFORE = 40;

interface VersionsProps {
  readonly columns: readonly (readonly [title: string, plant: StoredPlant])[];
}

/** Versions of a plant side by side. Words that the other one does not have are marked. */
export function Versions({ columns }: VersionsProps) {
  return (
    <div class="versions">
      {columns.map(([title, { name, tag }], index) => {
        const other = columns[1 - index]?.[1];
        return (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              <dt>{texts.plants.name}</dt>
              <dd>
                <MarkedText text={name} other={other?.name} ifEmpty={texts.plants.unnamed} />
              </dd>
              <dt>{texts.plants.tag}</dt>
              <dd>
                {tag === undefined ? (
                  '–'
                ) : (
                  <MarkedText text={tag} other={other?.tag} ifEmpty={texts.plants.emptyTag} />
                )}
              </dd>
            </dl>
          </section>
        );
      })}
    </div>
  );
}

interface MarkedTextProps {
  readonly text: string;
  readonly other: string | undefined;
  readonly ifEmpty: string;
}

function MarkedText({ text, other = text, ifEmpty }: MarkedTextProps) {
  if (text === '' || text === other) return <PlantText text={text} ifEmpty={ifEmpty} />;
  let common = 0;
  while (text[common] === other[common]) common += 1;
  const start = common > 2 * BEFORE ? common - BEFORE : 0;
  const shown = (whole: string) => startOf(whole.slice(start), SHOWN);
  return (
    <bdi class="text">
      {start > 0 && '… '}
      {marked(shown(text), shown(other)).map(([word, isOwn], index) =>
        isOwn ? <mark key={index}>{word}</mark> : word,
      )}
    </bdi>
  );
}

/** The words of a text, each with whether it is missing in the longest sequence of words that both texts have. */
function marked(text: string, otherText: string): [word: string, isOwn: boolean][] {
  const words = wordsOf(text);
  const others = wordsOf(otherText);
  const counts: number[][] = [];
  // How many words the two have in common, from a place in each on.
  const count = (place: number, other: number) => counts[place]?.[other] ?? 0;
  for (let place = words.length - 1; place >= 0; place -= 1) {
    const row: number[] = [];
    counts[place] = row;
    for (let other = others.length - 1; other >= 0; other -= 1)
      row[other] =
        words[place] === others[other]
          ? count(place + 1, other + 1) + 1
          : Math.max(count(place + 1, other), count(place, other + 1));
  }
  let next = 0;
  return words.map((word, place) => {
    while (next < others.length && word !== others[next] && count(place, next + 1) >= count(place + 1, next))
      next += 1;
    const isOwn = word !== others[next];
    if (!isOwn) next += 1;
    return [word, isOwn];
  });
}

/** The words of a text in any script, and what is between them. */
function wordsOf(text: string): string[] {
  return Array.from(
    new Intl.Segmenter('en', { granularity: 'word' }).segment(text),
    ({ segment }) => segment,
  );
}
