/** The metadata of class-transformer's decorators; the package does not export it, nor types beside it. */
declare module 'class-transformer/cjs/storage.js' {
  export { defaultMetadataStorage } from 'class-transformer/types/storage.js';
}
