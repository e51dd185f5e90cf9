import { Changes } from './changes.ts';
import { Connection, type Options } from './connection.ts';
import { Plants } from './plants.ts';

/** A plant store. */
export class PlantStore {
  readonly plants: Plants;
  readonly changes: Changes;

  constructor(options: Options) {
    const connection = new Connection(options);
    this.plants = new Plants(connection);
    this.changes = new Changes(connection);
  }
}
