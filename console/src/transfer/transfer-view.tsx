import { useEffect, useState } from 'preact/hooks';
import { may } from '../service/tokens.ts';
import { texts } from '../texts.ts';
import { Page } from '../ui/page.tsx';
import { route } from '../ui/route.ts';
import { ExportPanel } from './export-panel.tsx';
import { ChooseFile, ImportPanel } from './import-panel.tsx';
import { currentImport } from './import-run.ts';
import styles from './transfer.module.css';

/** Import and export. Both continue while the user is in another view. */
export function TransferView() {
  const running = currentImport.value;
  const [file, setFile] = useState<File>();
  const [isOver, setIsOver] = useState(false);
  useEffect(() => watchDrops(setFile, setIsOver), []);
  return (
    <Page title="Import and export">
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
    </Page>
  );
}

/** Reports files dragged over and dropped on the page, until the returned function is called. */
function watchDrops(onDrop: (file: File) => void, onOver: (isOver: boolean) => void): () => void {
  const controller = new AbortController();
  const listen = (type: 'dragover' | 'dragleave' | 'drop', handle: (event: DragEvent) => boolean) => {
    const take = (event: DragEvent) => {
      // Otherwise the browser opens the file.
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
