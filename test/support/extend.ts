import { onTestFinished } from 'vitest';
import { PlantsModule } from '../../src/plants/plants.module.js';

/** Adds to what the module of plants has, for one test. */
export function extend(key: 'controllers' | 'imports' | 'providers', ...more: unknown[]): void {
  const before = (Reflect.getMetadata(key, PlantsModule) ?? []) as unknown[];
  Reflect.defineMetadata(key, [...before, ...more], PlantsModule);
  onTestFinished(() => Reflect.defineMetadata(key, before, PlantsModule));
}
