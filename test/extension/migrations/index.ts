export * from '../../../migrations/index.js';
export { AddLight1763700001002 } from './1763700001002-add-light.js';
export { CreateGardens1763700001000 } from './1763700001000-create-gardens.js';
export { CreateOffers1763700001003 } from './1763700001003-create-offers.js';
export { CreateWaterings1763700001001 } from './1763700001001-create-waterings.js';
export { CreatePhotos1763700001003 } from './1763700001003-create-photos.js';
