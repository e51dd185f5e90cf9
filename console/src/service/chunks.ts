/** The chunks of a stream, which is cancelled when nobody wants more; Safari has no iterator of its own for them. */
export async function* chunksOf<Chunk>(stream: ReadableStream<Chunk> | null): AsyncGenerator<Chunk> {
  const reader = stream?.getReader();
  try {
    for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) yield next.value;
  } finally {
    await reader?.cancel();
  }
}

/** The whole lines of a stream of text, some at a time; a last line that has no end is none. */
export async function* linesOf(
  stream: ReadableStream<Uint8Array<ArrayBuffer>> | null,
): AsyncGenerator<string[]> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(stream)) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    yield lines;
  }
}
