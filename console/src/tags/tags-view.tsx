import { useState } from 'preact/hooks';
import { plantsChanged } from '../plants/commands.ts';
import { TagPlants } from '../plants/change/change-plants.tsx';
import { PlantTag } from '../plants/plant-text.tsx';
import { countTags, isListed, plantsTagged } from '../service/plants.ts';
import { may } from '../service/tokens.ts';
import { number, plantCount, plural, texts } from '../texts.ts';
import { Button } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { addressOf } from '../ui/route.ts';
import { Table } from '../ui/table.tsx';
import { useLoaded } from '../ui/use-loaded.ts';

/** Maximum tags shown; the search finds the others. */
const SHOWN = 500;

/** All tags with their numbers of plants. Renaming a tag to another one merges them. */
export function TagsView() {
  const [read, setRead] = useState(0);
  const tags = useLoaded(async (signal) => countTags(signal, setRead), [plantsChanged.value]);
  const [words, setWords] = useState('');
  const [renamed, setRenamed] = useState<string>();
  const counts = tags.value ?? new Map<string, number>();
  const found = [...counts]
    .filter(([tag]) => tag.toLowerCase().includes(words.trim().toLowerCase()))
    .toSorted(([one], [other]) => one.localeCompare(other));
  const end = (hasChanged: boolean) => {
    setRenamed(undefined);
    if (hasChanged) tags.reload();
  };
  return (
    <Page
      title="Tags"
      of={tags}
      lead={tags.value ? plural(counts.size, 'tag') : `Read ${plantCount(read)} …`}
      tools={
        <input
          type="search"
          aria-label="Find a tag"
          placeholder="Find a tag"
          value={words}
          onInput={({ currentTarget }) => setWords(currentTarget.value)}
        />
      }
    >
      {tags.value && (
        <Table
          titles={[texts.tag, 'Plants', texts.actions]}
          titled={1}
          isLoading={tags.isLoading}
          empty={counts.size === 0 ? 'No plant has a tag yet.' : 'No tag has this text.'}
          rows={found.slice(0, SHOWN).map(([tag, count]) => ({
            key: tag,
            cells: [
              <PlantTag of={{ tag }} />,
              isListed(tag) ? <a href={addressOf('plants', { tag })}>{number(count)}</a> : number(count),
              may('plants:write') && (
                <Button class="quiet" aria-label={`Rename ${tag}`} onClick={() => setRenamed(tag)}>
                  Rename
                </Button>
              ),
            ],
          }))}
        />
      )}
      {found.length > SHOWN && <p class="soft">{`The first ${SHOWN} of ${plural(found.length, 'tag')}`}</p>}
      {renamed !== undefined && (
        <TagPlants
          selection={{
            count: counts.get(renamed) ?? 0,
            some: [],
            read: (signal) => plantsTagged(renamed, signal),
          }}
          renamed={renamed}
          counts={counts}
          onEnd={end}
        />
      )}
    </Page>
  );
}
