import { quoteLargeIntegers } from '../../exact-json.ts';
import type { PlantFields } from '../../service/plants.ts';
import { texts } from '../../texts.ts';
import { columnsOf, csv, type Format, ndjson, separatorOf, textOf } from './formats.ts';
import { type Place, readPart } from './parts.ts';

/** Bytes by which a file is judged. */
const SAMPLE_BYTES = 65_536;

/** Records that are shown before an import. */
const SHOWN_RECORDS = 5;

const BYTE_ORDER_MARK = /^\ufeff/;

/** A file that can be imported. */
export interface Source {
  readonly file: File;
  readonly format: Format;
  /** Where its plants begin. */
  readonly start: Place;
  readonly preview: readonly Preview[];
  /** Columns that are no fields of plants. */
  readonly ignored: readonly string[];
}

/** How the service will see a record; only a text when it is no plant at all. */
export interface Preview {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly tag?: string | undefined;
  readonly text: string;
}

/** Finds out how plants are written in a file. @throws Error that says why it cannot be imported. */
export async function inspect(file: File, readFields: () => Promise<PlantFields>): Promise<Source> {
  const sample = await file.slice(0, SAMPLE_BYTES).arrayBuffer();
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(sample);
  if (text.includes('\0')) throw new Error(texts.transfer.binary);
  if (text.replace(BYTE_ORDER_MARK, '').trim() === '') throw new Error(texts.transfer.empty);
  const start = { offset: BYTE_ORDER_MARK.test(text) ? 3 : 0, line: 1 };
  const isNdjson = /\.(ndjson|jsonl)$/i.test(file.name) || /^\ufeff?\s*\{/.test(text);
  const source = isNdjson
    ? { format: ndjson, start, ignored: [] }
    : await inspectCsv(file, start, text, await readFields());
  return { file, ...source, preview: await preview(file, source.format, source.start) };
}

async function inspectCsv(
  file: Blob,
  start: Place,
  sample: string,
  fields: PlantFields,
): Promise<Pick<Source, 'format' | 'start' | 'ignored'>> {
  const separator = separatorOf(sample.replace(BYTE_ORDER_MARK, ''));
  const { dsvFormat } = await import('d3-dsv');
  const dsv = dsvFormat(separator);
  const part = await readPart(file, start, { separator, lines: 1 });
  const [record] = part?.records ?? [];
  const header = record ? textOf(record) : '';
  const rows = dsv.parseRows(header);
  const columns = columnsOf(rows[0] ?? [], fields);
  // Other rows in it are those of a file whose line breaks are not ours.
  if (part === undefined || columns === undefined || rows.length > 1)
    throw new Error(texts.transfer.noColumns);
  const ignored = (rows[0] ?? []).filter((_title, index) =>
    columns.every((column) => column.index !== index),
  );
  return { format: csv(dsv, separator, header, columns), start: part.next, ignored };
}

async function preview(file: Blob, format: Format, start: Place): Promise<Preview[]> {
  const { separator } = format;
  const part = await readPart(file, start, { separator, lines: SHOWN_RECORDS, bytes: SAMPLE_BYTES });
  if (part === undefined) throw new Error(texts.transfer.empty);
  const { body } = format.toBatch(part.records, part.bytes);
  const text = typeof body === 'string' ? body : new TextDecoder().decode(body);
  return text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map(previewOf);
}

function previewOf(text: string): Preview {
  try {
    const { id, name, tag } = JSON.parse(quoteLargeIntegers(text)) as Record<string, unknown>;
    return { id: shown(id), name: shown(name), tag: shown(tag), text };
  } catch {
    return { text };
  }
}

function shown(member: unknown): string | undefined {
  return typeof member === 'string' ? member : JSON.stringify(member);
}
