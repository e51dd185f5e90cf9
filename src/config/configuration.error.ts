/** The environment holds values the service cannot run with; the message names every one of them. */
export class ConfigurationError extends Error {
  constructor(problems: readonly string[]) {
    super(`The configuration is not valid: ${problems.join('; ')}.`);
  }
}
