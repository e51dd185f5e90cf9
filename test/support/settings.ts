import { Configuration } from '../../src/kernel/config/configuration.js';
import { Settings } from '../../src/kernel/config/settings.js';

/** The settings of the kernel. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return new Configuration([Settings], environment).get(Settings);
}
