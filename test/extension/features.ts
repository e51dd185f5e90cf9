export * from '../../src/features.js';
export { GardensModule } from './gardens/gardens.module.js';
export { OffersModule } from './offers/offers.module.js';
export { WateringsModule } from './waterings/waterings.module.js';
export { PhotosModule } from './photos/photos.module.js';
