import { parseEnv } from 'node:util';
import { ConfigurationError, readText } from './configuration.js';

/** A value in quotes, which may have several lines. */
const QUOTED = /=[ \t]*(["'`])[^]*?\1/g;

/** What a line of `.env` may be, without its value. */
const LINE = /^\s*($|#|(export\s+)?[\w.-]+\s*=)/;

/**
 * The environment of the process, completed by the file `.env` of the working folder if there is one.
 *
 * @throws ConfigurationError when the file cannot be read, or a line of it: without its settings, the service would begin
 * another store.
 */
export function loadEnvironment(file = '.env'): NodeJS.ProcessEnv {
  try {
    const text = readText(file);
    const lines = text.replaceAll(QUOTED, (value) => `=${value.replaceAll(/[^\n]/g, '')}`).split('\n');
    const wrong = lines.findIndex((line) => !LINE.test(line));
    if (wrong !== -1) throw new ConfigurationError([`line ${wrong + 1} of the file .env is not NAME=value`]);
    Object.assign(process.env, { ...parseEnv(text), ...process.env });
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const { code = String(error) } = error as NodeJS.ErrnoException;
    if (code !== 'ENOENT') throw new ConfigurationError([`the file .env cannot be read (${code})`]);
  }
  return process.env;
}
