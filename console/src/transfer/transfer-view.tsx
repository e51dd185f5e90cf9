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
      <h1 tabIndex={-1}>Import and export</h1>
      <div class={styles['transfer']}>
        <section class="panel" aria-label="Import">
          <h2>Import</h2>
          {running ? (
            <ImportPanel running={running} />
          ) : may('plants:write') ? (
            <ChooseFile file={file} isOver={isOver} onChoose={setFile} />
          ) : (
            <p class="soft">{texts.readOnly}</p>
          )}
        </section>
        <section class="panel" aria-label={texts.export}>
          <h2>{texts.export}</h2>
          <ExportPanel filter={route.value.query} />
        </section>
      </div>
    </>
  );
}

/** Tells of a file over the page, and of each that is dropped there, until the function that it returns is called. */
function watchDrops(onDrop: (file: File) => void, onOver: (isOver: boolean) => void): () => void {
  const controller = new AbortController();
  const listen = (type: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => boolean) => {
    const take = (event: DragEvent) => {
      // A browser that is not told to leave the file alone opens it in place of the page.
      event.preventDefault();
      onOver(handle(event));
    };
    addEventListener(type, take, { signal: controller.signal });
  };
  listen('dragover', () => true);
  listen('dragleave', ({ relatedTarget }) => relatedTarget !== null);
  listen('drop', ({ dataTransfer }) => {
    const [file] = dataTransfer?.files ?? [];
    if (file) onDrop(file);
    return false;
  });
  return () => controller.abort();
}
