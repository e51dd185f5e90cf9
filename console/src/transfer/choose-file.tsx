import { useEffect, useId, useState } from 'preact/hooks';
import { PlantText } from '../plants/plant-text.tsx';
import { texts } from '../texts.ts';
import { useRescuedFocus } from '../ui/rescued-focus.ts';
import { startImport } from './import-run.ts';
import { RecordTable } from './record-table.tsx';
import { inspect, type Preview, type Source } from './files/source.ts';

interface ChooseFileProps {
  readonly file: File | undefined;
  readonly onChoose: (file: File | undefined) => void;
}

/** Asks for a file, and shows what is in it before it is imported. */
export function ChooseFile({ file, onChoose }: ChooseFileProps) {
  const id = useId();
  const input = useRescuedFocus<HTMLInputElement>([]);
  const [found, setFound] = useState<{ readonly source?: Source; readonly problem?: string }>({});
  const { source, problem } = found;
  useEffect(() => {
    setFound({});
    if (file === undefined) return undefined;
    let isCurrent = true;
    inspect(file).then(
      (inspected) => isCurrent && setFound({ source: inspected }),
      (error: Error) => isCurrent && setFound({ problem: error.message }),
    );
    return () => (isCurrent = false);
  }, [file]);
  const start = (chosen: Source) => {
    onChoose(undefined);
    startImport(chosen);
  };
  return (
    <>
      <div class="field">
        <label for={id}>{texts.transfer.file}</label>
        <input
          ref={input}
          id={id}
          type="file"
          accept=".ndjson,.jsonl,.csv,.tsv,.txt"
          aria-invalid={problem !== undefined}
          aria-describedby={`${id}-hint ${id}-problem`}
          // A file that was corrected can be chosen again.
          onClick={({ currentTarget }) => (currentTarget.value = '')}
          onChange={({ currentTarget }) => onChoose(currentTarget.files?.[0])}
        />
        <small id={`${id}-hint`}>{texts.transfer.fileHint}</small>
        <small id={`${id}-problem`} class="problem" role="alert">
          {problem && `${file?.name}: ${problem}`}
        </small>
      </div>
      <p role="status" class="text">
        {source &&
          texts.transfer.found(source.file.name, source.format.name, texts.transfer.size(source.file.size))}
      </p>
      {source && (
        <>
          <RecordTable
            caption={texts.transfer.preview}
            titles={[texts.plants.id, texts.plants.name, texts.plants.tag]}
            rows={source.preview.map(rowOf)}
          />
          <p>
            <button type="button" class="primary" onClick={() => start(source)}>
              {texts.transfer.start}
            </button>
          </p>
        </>
      )}
    </>
  );
}

/** A record as the service will see it. */
function rowOf({ id, name, tag, text }: Preview) {
  return [
    id,
    <PlantText text={name ?? text} ifEmpty={texts.plants.unnamed} />,
    tag !== undefined && (
      <span class="tag">
        <PlantText text={tag} ifEmpty={texts.plants.emptyTag} />
      </span>
    ),
  ];
}
