export * from '../../src/features.js';
export { GardensModule } from './gardens/gardens.module.js';
export { WateringsModule } from './waterings/waterings.module.js';
