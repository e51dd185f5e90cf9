import { useEffect, useState } from 'preact/hooks';
import { may } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { route } from '../ui/route.ts';
import { ExportPanel } from './export-panel.tsx';
import { ChooseFile, ImportPanel } from './import-panel.tsx';
import { currentImport } from './import-run.ts';
import styles from './transfer.module.css';

/** Plants from files and to files. What is under way goes on when the user leaves. */
export function TransferView() {
  const running = currentImport.value;
  const [file, setFile] = useState<File>();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => watchDrops(setFile, setIsOver), []);
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.transfer}</h1>
      <div class={styles['transfer']}>
        <section class="panel" aria-label={texts.transfer.import}>
          <h2>{texts.transfer.import}</h2>
          {running ? (
            <ImportPanel running={running} />
          ) : may('plants:write') ? (
            <ChooseFile file={file} isOver={isOver} onChoose={setFile} />
          ) : (
            <p class="soft">{texts.plants.readOnly}</p>
          )}
        </section>
        <section class="panel" aria-label={texts.transfer.export}>
          <h2>{texts.transfer.export}</h2>
          <ExportPanel filter={route.value.query} />
        </section>
      </div>
    </>
  );
}

/** Tells of a file over the page, and of each that is dropped there, until the function that it returns is called. */
function watchDrops(onDrop: (file: File) => void, onOver: (isOver: boolean) => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  // A browser that is not told to leave the file alone opens it in place of the page.
  const take = (event: DragEvent, isOver: boolean) => {
    event.preventDefault();
    onOver(isOver);
  };
  addEventListener('dragover', (event) => take(event, true), { signal });
  addEventListener('dragleave', (event) => take(event, event.relatedTarget !== null), { signal });
  addEventListener(
    'drop',
    (event) => {
      take(event, false);
      const [file] = event.dataTransfer?.files ?? [];
      if (file) onDrop(file);
    },
    { signal },
  );
  return () => controller.abort();
}
