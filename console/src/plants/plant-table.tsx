import type { StoredPlant } from '../service/plants.ts';
import { texts } from '../texts.ts';
import { PlantText, shortName } from './plant-text.tsx';

interface PlantTableProps {
  readonly plants: readonly StoredPlant[];
  readonly isLoading: boolean;
  readonly selected: ReadonlySet<bigint>;
  readonly onSelect: (selected: ReadonlySet<bigint>) => void;
  readonly onEdit: (plant: StoredPlant) => void;
  readonly onDelete: (plant: StoredPlant) => void;
}

/** A page of plants, of which some may be selected. */
export function PlantTable({ plants, isLoading, selected, onSelect, onEdit, onDelete }: PlantTableProps) {
  const areAllSelected = plants.every(({ id }) => selected.has(id));
  const toggle = (id: bigint) => {
    onSelect(selected.symmetricDifference(new Set([id])));
  };
  return (
    <table aria-busy={isLoading}>
      <thead>
        <tr>
          <th scope="col">
            <input
              type="checkbox"
              aria-label={texts.plants.selectAll}
              checked={areAllSelected}
              onChange={() => onSelect(new Set(areAllSelected ? [] : plants.map(({ id }) => id)))}
            />
          </th>
          <th scope="col" class="number">
            {texts.plants.id}
          </th>
          <th scope="col">{texts.plants.name}</th>
          <th scope="col">{texts.plants.tag}</th>
          <th scope="col">
            <span class="unseen">{texts.plants.actions}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {plants.map((plant) => (
          <tr key={String(plant.id)} class={selected.has(plant.id) ? 'selected' : undefined}>
            <td class="choose">
              <input
                type="checkbox"
                aria-label={texts.plants.select(shortName(plant))}
                checked={selected.has(plant.id)}
                onChange={() => toggle(plant.id)}
              />
            </td>
            <td class="number">{String(plant.id)}</td>
            <th scope="row">
              <PlantText text={plant.name} ifEmpty={texts.plants.unnamed} />
            </th>
            <td>
              {plant.tag !== undefined && (
                <span class="tag">
                  <PlantText text={plant.tag} ifEmpty={texts.plants.emptyTag} />
                </span>
              )}
            </td>
            <td class="actions">
              <button
                type="button"
                aria-label={texts.plants.editOne(shortName(plant))}
                onClick={() => onEdit(plant)}
              >
                {texts.plants.edit}
              </button>
              <button
                type="button"
                class="danger"
                aria-label={texts.plants.deleteOne(shortName(plant))}
                onClick={() => onDelete(plant)}
              >
                {texts.plants.delete}
              </button>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
