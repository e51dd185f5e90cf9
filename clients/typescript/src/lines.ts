/**
 * The lines of a body as they come, each without its end.
 *
 * @param silence milliseconds without anything after which the lines end, as if the body did.
 */
export async function* linesOf(response: Response, silence?: number): AsyncGenerator<string> {
  // Safari cannot iterate over a stream.
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  if (reader === undefined) return;
  let begun = '';
  try {
    for (;;) {
      const timer = silence === undefined ? undefined : setTimeout(() => void reader.cancel(), silence);
      const { done, value } = await reader.read().finally(() => clearTimeout(timer));
      if (done) return;
      const lines = (begun + value).split('\n');
      begun = lines.pop() ?? '';
      yield* lines;
    }
  } finally {
    await reader.cancel();
  }
}
