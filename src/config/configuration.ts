import type { Type } from '@nestjs/common';
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

  /**
   * Reads the settings from environment variables; an empty variable counts as absent.
   *
   * @param classes the classes of settings, whose properties have `@Variable()`.
   * @throws ConfigurationError that names every variable with a bad value.
   */
  constructor(classes: readonly Type<object>[], environment: NodeJS.ProcessEnv) {
    this.settings = classes.map((type) => {
      const names = variablesOf(type).map(({ name }) => name);
      const given = names.filter((name) => environment[name]).map((name) => [name, environment[name]]);
      return plainToInstance(type, Object.fromEntries(given) as object);
    });
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
