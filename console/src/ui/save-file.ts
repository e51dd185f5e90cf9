/** Milliseconds until a browser has taken what it saves. */
const PATIENCE_MS = 60_000;

/** Saves a file among the downloads. */
export function saveFile(content: Blob, name: string): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(content);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), PATIENCE_MS);
}
