import { useEffect, useState } from 'preact/hooks';
import { texts } from '../texts.ts';
import { useValue } from '../ui/observable.ts';
import { ChooseFile } from './choose-file.tsx';
import { ExportPanel } from './export-panel.tsx';
import { ImportPanel } from './import-panel.tsx';
import { currentImport } from './import-run.ts';

/** Plants from files and to files. What is under way goes on when the user leaves. */
export function TransferView() {
  const running = useValue(currentImport);
  const [file, setFile] = useState<File>();
  useEffect(() => watchDrops(setFile), []);
  return (
    <>
      <h1 tabIndex={-1}>{texts.views.transfer}</h1>
      <section class="panel" aria-label={texts.transfer.import}>
        <h2>{texts.transfer.import}</h2>
        {running ? <ImportPanel running={running} /> : <ChooseFile file={file} onChoose={setFile} />}
      </section>
      <section class="panel" aria-label={texts.transfer.export}>
        <h2>{texts.transfer.export}</h2>
        <ExportPanel />
      </section>
    </>
  );
}

/** Calls `onDrop` with each file that is dropped on the page, until the function that it returns is called. */
function watchDrops(onDrop: (file: File) => void): () => void {
  const controller = new AbortController();
  const { signal } = controller;
  // A browser that is not told to leave the file alone opens it in place of the page.
  addEventListener('dragover', (event) => event.preventDefault(), { signal });
  addEventListener(
    'drop',
    (event) => {
      event.preventDefault();
      const [file] = event.dataTransfer?.files ?? [];
      if (file) onDrop(file);
    },
    { signal },
  );
  return () => controller.abort();
}
