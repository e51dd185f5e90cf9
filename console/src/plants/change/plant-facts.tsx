import type { IconNode } from 'lucide';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { writeJson } from '../../exact-json.ts';
import { changesOfPlant } from '../../service/changes.ts';
import type { StoredPlant } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { CopyButton } from '../../ui/copy.tsx';
import {
  ChangedIcon,
  ChevronRightIcon,
  CreatedIcon,
  DeletedIcon,
  HistoryIcon,
  Icon,
  JsonIcon,
} from '../../ui/icons.tsx';
import { LoadFailure } from '../../ui/notice.tsx';
import { useLoaded } from '../../ui/use-loaded.ts';
import { PlantText } from '../plant-text.tsx';
import styles from './plant-facts.module.css';

const ICONS = { created: CreatedIcon, changed: ChangedIcon, deleted: DeletedIcon };

/** What is known of a plant beside its fields. */
export function PlantFacts({ plant }: { readonly plant: StoredPlant }) {
  const json = writeJson(plant, 2);
  const { json: jsonTitle, copyJson, history } = texts.form;
  return (
    <>
      <Fold icon={JsonIcon} title={jsonTitle}>
        <CopyButton label={copyJson} text={json} />
        <pre>{json}</pre>
      </Fold>
      <Fold icon={HistoryIcon} title={history}>
        <History id={plant.id} />
      </Fold>
    </>
  );
}

interface FoldProps {
  readonly icon: IconNode;
  readonly title: string;
  readonly children: ComponentChildren;
}

/** What is there only while it is open. */
function Fold({ icon, title, children }: FoldProps) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details class={styles['fold']} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Icon of={icon} /> {title} <Icon of={ChevronRightIcon} />
      </summary>
      {isOpen && <div>{children}</div>}
    </details>
  );
}

/** What has been done to a plant, newest first. */
function History({ id }: { readonly id: bigint }) {
  const changes = useLoaded((signal) => changesOfPlant(id, signal), [id]);
  if (changes.failure) return <LoadFailure of={changes} />;
  if (!changes.value?.length)
    return <p class="soft">{changes.isLoading ? texts.loading : texts.form.noHistory}</p>;
  return (
    <ol class={styles['history']}>
      {changes.value.map(({ cursor, at, by, kind, plant: { name, tag } }) => (
        <li key={String(cursor)} class={styles[kind]}>
          <Icon of={ICONS[kind]} />
          <div>
            <strong>{texts.activity.kinds[kind]}</strong> <small>{new Date(at).toLocaleString()}</small>
            {by && <small> · {by}</small>}
            <div>
              <PlantText text={name} ifEmpty={texts.plants.unnamed} isLine />{' '}
              {tag !== undefined && (
                <span class="tag">
                  <PlantText text={tag} ifEmpty={texts.plants.emptyTag} isLine />
                </span>
              )}
            </div>
          </div>
        </li>
      ))}
    </ol>
  );
}
