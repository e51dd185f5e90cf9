/** The items of a text, each on a line of its own or behind two spaces. */
export function items(text: string): string[] {
  return text.split(/ {2,}|\n +|\n$/).filter((item) => item !== '');
}
