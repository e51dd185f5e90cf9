import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { type DynamicModule, Module, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { validateSync } from 'class-validator';
import { VARIABLES } from './formats.js';

/** An environment variable as the documents describe it. */
interface Description {
  readonly name: string;
  /** A sentence or two, in Markdown. */
  readonly sentence: string;
  /** The default in words, if it is not a fixed value. */
  readonly unset?: string;
  /** Of a secret, the service shows only whether it is set. */
  readonly isSecret?: true;
}

/** The variables of each class, in the order of its properties. */
const DESCRIPTIONS = new Map<unknown, Description[]>();

/** Makes a property an environment variable of that name. Its initial value is the default. */
export function Variable(
  sentence: string,
  more: Omit<Description, 'name' | 'sentence'> = {},
): PropertyDecorator {
  return ({ constructor }, name) => {
    const described = DESCRIPTIONS.get(constructor) ?? [];
    DESCRIPTIONS.set(constructor, [...described, { name: String(name), sentence, ...more }]);
  };
}

/** The variables of a class of settings. */
export function variablesOf(type: unknown): readonly Description[] {
  return DESCRIPTIONS.get(type) ?? [];
}

/** The environment holds values that the service cannot run with; the message names all of them. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid: ${problems.join('; ')}.`);
  }
}

/** The settings of the kernel and of all features. */
export class Configuration {
  readonly settings: readonly object[];
  /** Variables that are no settings, but end in the name of one, such as `PLANT_STORE_DATABASE_URL`. */
  readonly strays: readonly string[];

  /**
   * Reads the settings from environment variables, without blanks around a value; a blank variable counts as absent. A secret may
   * also come from a file, which the variable with `_FILE` after its name names.
   *
   * @param classes the classes of settings, whose properties have `@Variable()`.
   * @throws ConfigurationError that names every variable with a bad value.
   */
  constructor(classes: readonly Type<object>[], environment: NodeJS.ProcessEnv) {
    const unreadable: string[] = [];
    const names = classes.flatMap((type) => variablesOf(type)).map(({ name }) => name);
    // Programs beside the service have ports and hosts as well.
    const ending = new RegExp(`_(${names.filter((name) => name.length > 4).join('|')})(_FILE)?$`, 'i');
    const known = new Set(names.flatMap((name) => [name, `${name}_FILE`]));
    this.strays = Object.keys(environment).filter((name) => !known.has(name) && ending.test(`_${name}`));
    this.settings = classes.map((type) => {
      const given = variablesOf(type).flatMap((variable) => {
        try {
          const value = readVariable(variable, environment);
          return value ? [[variable.name, value] as const] : [];
        } catch (error) {
          unreadable.push((error as Error).message);
          return [];
        }
      });
      return plainToInstance(type, Object.fromEntries(given) as object);
    });
    if (unreadable.length > 0) throw new ConfigurationError(unreadable);
    const variables = Object.assign({}, ...this.settings) as object;
    const problems = this.settings.flatMap((settings) => {
      Object.defineProperty(settings, VARIABLES, { value: variables });
      const errors = validateSync(settings, { stopAtFirstError: true, skipUndefinedProperties: true });
      return errors.flatMap(({ constraints = {} }) => Object.values(constraints));
    });
    if (problems.length > 0) throw new ConfigurationError(problems);
  }

  /** The settings of a class. */
  get<Settings extends object>(type: Type<Settings>): Settings {
    const found = this.settings.find((settings) => settings instanceof type);
    if (found === undefined) throw new Error(`No feature declares ${type.name}.`);
    return found as Settings;
  }

  /** The variables that differ from their defaults, without secrets. */
  changes(): Record<string, unknown> {
    const changes = this.settings.flatMap((settings) => {
      const values = new Map<string, unknown>(Object.entries(settings));
      const defaults = new Map<string, unknown>(Object.entries(new (settings.constructor as Type<object>)()));
      return variablesOf(settings.constructor)
        .filter(({ name }) => values.get(name) !== defaults.get(name))
        .map(({ name, isSecret }) => [name, isSecret ? '(set)' : values.get(name)] as const);
    });
    return Object.fromEntries(changes);
  }
}

/** Makes each instance of settings injectable everywhere, by its class. */
@Module({})
export class ConfigModule {
  static forRoot({ settings }: Configuration): DynamicModule {
    return {
      module: ConfigModule,
      global: true,
      providers: settings.map((instance) => ({ provide: instance.constructor, useValue: instance })),
      exports: settings.map(({ constructor }) => constructor),
    };
  }
}

/** The value of a variable, from itself or from the file of a secret. @throws Error when it can be neither. */
function readVariable({ name, isSecret }: Description, environment: NodeJS.ProcessEnv): string | undefined {
  const value = environment[name]?.trim();
  // Shells remove quotes; files of Docker (`--env-file`) and Kubernetes keep them.
  if (/^(["'`]).*\1$/s.test(value ?? '')) throw new Error(`${name} must not be in quotes`);
  const file = environment[`${name}_FILE`]?.trim();
  if (!file) return value;
  if (!isSecret) throw new Error(`${name}_FILE is not a setting: set ${name}`);
  if (value) throw new Error(`${name} and ${name}_FILE are both set`);
  let text = '';
  try {
    text = readText(file).trim();
  } catch (error) {
    throw new Error(`${name}_FILE cannot be read (${(error as NodeJS.ErrnoException).code})`, {
      cause: error,
    });
  }
  if (text === '') throw new Error(`${name}_FILE is empty`);
  return text;
}

/** Reads a text without its byte order mark. @throws Error whose `code` says why it cannot be read. */
export function readText(path: string): string {
  const bytes = readFileSync(path);
  // Of UTF-16, which some programs on Windows write, no setting would be found.
  if (!isUtf8(bytes) || bytes.includes(0))
    throw Object.assign(new Error(`${path} is not UTF-8`), { code: 'not UTF-8' });
  return bytes.toString().replace(/^\uFEFF/, '');
}
